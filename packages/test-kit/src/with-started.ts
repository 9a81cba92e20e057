import { afterAll, beforeAll } from 'vitest';

/**
 * Starts something before the tests of this file or `describe`, and disposes of it after them. Hooks and
 * tests use the result like the started object. What is declared first starts first and ends last.
 */
export function withStarted<Started extends AsyncDisposable>(start: () => Promise<Started>): Started {
  let started: Started | undefined;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started?.[Symbol.asyncDispose]());
  const current = (): Started => {
    if (started === undefined) throw new Error('it is started before the tests: use it in a hook or a test');
    return started;
  };
  return new Proxy(Object.create(null), {
    get: (_target, name) => {
      const value: unknown = Reflect.get(current(), name);
      return typeof value === 'function' ? value.bind(started) : value;
    },
    set: (_target, name, value) => Reflect.set(current(), name, value),
  });
}
