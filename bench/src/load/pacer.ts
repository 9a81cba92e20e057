import { Worker } from 'node:worker_threads';
import { dueMs } from './schedule.ts';

export interface PacerOrder {
  /** The start, by the shared clock. */
  startUs: number;
  count: number;
  perSecond: number;
}

/** Calls `onDue` for each request at its time, and passes that time (shared clock, microseconds). */
export async function pace(
  order: PacerOrder,
  onDue: (index: number, intendedUs: number) => void,
): Promise<void> {
  const worker = new Worker(new URL('./pacer-worker.ts', import.meta.url), { workerData: order });
  await new Promise<void>((resolve, reject) => {
    worker.on('message', (index: number) =>
      onDue(index, order.startUs + dueMs(index, order.perSecond) * 1_000),
    );
    worker.once('error', reject);
    worker.once('exit', () => resolve());
  });
}
