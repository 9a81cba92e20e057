// Signals when each request is due. Atomics.wait blocks its thread, but is more precise than Node's timers,
// which have a resolution of one millisecond, and takes no CPU time, unlike a busy loop.
import { parentPort, workerData } from 'node:worker_threads';
import { sharedClockUs } from '../wire/answer-plan.ts';
import type { PacerOrder } from './pacer.ts';
import { dueMs } from './schedule.ts';

const { startUs, count, perSecond }: PacerOrder = workerData;
const neverNotified = new Int32Array(new SharedArrayBuffer(4));

for (let index = 0; index < count; index++) {
  const dueUs = startUs + dueMs(index, perSecond) * 1_000;
  for (;;) {
    const leftUs = dueUs - sharedClockUs();
    if (leftUs <= 0) break;
    Atomics.wait(neverNotified, 0, 0, leftUs / 1_000);
  }
  parentPort?.postMessage(index);
}
