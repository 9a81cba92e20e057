// Signals when each request is due. Needs its own thread, because Node's timers have a resolution of one
// millisecond, and a busy loop would take the provider's core.
import { parentPort, workerData } from 'node:worker_threads';
import { sharedClockUs } from '../wire/answer-plan.ts';
import type { PacerOrder } from './pacer.ts';
import { dueMs } from './schedule.ts';

const { startUs, count, perSecond }: PacerOrder = workerData;
const nobodyWakes = new Int32Array(new SharedArrayBuffer(4));

for (let index = 0; index < count; index++) {
  const dueUs = startUs + dueMs(index, perSecond) * 1_000;
  for (;;) {
    const leftUs = dueUs - sharedClockUs();
    if (leftUs <= 0) break;
    Atomics.wait(nobodyWakes, 0, 0, leftUs / 1_000);
  }
  parentPort?.postMessage(index);
}
