import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inBackground } from './unexpected-failure.ts';

async function unhandled(work: () => void): Promise<unknown[]> {
  const seen: unknown[] = [];
  const note = (error: unknown) => seen.push(error);
  // Vitest's own listeners would fail the run.
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', note);
  try {
    work();
    await nextTick();
    await nextTick();
  } finally {
    process.off('unhandledRejection', note);
    for (const other of others) process.on('unhandledRejection', other);
  }
  return seen;
}

it('a failure of work that nobody awaits does not reach the process', async () => {
  expect(await unhandled(() => void Promise.reject(new Error('lost')))).toHaveLength(1);
  expect(await unhandled(() => inBackground(Promise.reject(new Error('lost'))))).toEqual([]);
});
