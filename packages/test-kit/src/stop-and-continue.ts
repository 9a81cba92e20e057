import { workerData } from 'node:worker_threads';
import { z } from 'zod';
import { withDescendants } from './descendants.ts';

/**
 * Worker thread: stops processes and lets them continue, alternately, until `over` is set.
 */
const { pids, runMs, stopMs, over } = z
  .object({
    pids: z.array(z.number()),
    runMs: z.number(),
    stopMs: z.number(),
    over: z.instanceof(Int32Array),
  })
  .parse(workerData);

while (Atomics.load(over, 0) === 0) {
  Atomics.wait(over, 0, 0, runMs);
  if (Atomics.load(over, 0) !== 0) break;
  const stopped = withDescendants(pids);
  signal(stopped, 'SIGSTOP');
  Atomics.wait(over, 0, 0, stopMs);
  signal(stopped, 'SIGCONT');
}

function signal(of: readonly number[], name: NodeJS.Signals): void {
  for (const pid of of) {
    try {
      process.kill(pid, name);
    } catch {
      // The process has ended.
    }
  }
}
