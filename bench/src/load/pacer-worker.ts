// Tells when each request is due. It is a thread of its own, because Node's timers know whole milliseconds
// only, and a waiting loop would take the core on which the provider runs.
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
