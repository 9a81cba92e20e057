import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { createRegistry, Gauge } from './metrics.ts';

it('each service has the metrics of the process, and its own for itself', async () => {
  const [one, other] = [createRegistry(), createRegistry()];
  new Gauge({ name: 'own_value', help: 'Of one service.', registers: [one] }).set(7);
  for (const registry of [one, other]) {
    const text = await registry.metrics();
    expect(text).toMatch(/^process_cpu_user_seconds_total \d/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  }
  expect(await one.metrics()).toContain('own_value 7');
  expect(await other.metrics()).not.toContain('own_value');
});

it('nothing holds on to the registry of a service that is gone', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const gone = Array.from({ length: 5 }, () => {
    const registry = createRegistry();
    const held = Buffer.alloc(1_000);
    new Gauge({ name: 'held', help: 'Holds something.', registers: [registry], collect: () => void held });
    return new WeakRef(registry);
  });
  // A WeakRef that was made in this turn of the event loop is not let go in it.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(gone.filter((reference) => reference.deref() !== undefined)).toEqual([]);
});
