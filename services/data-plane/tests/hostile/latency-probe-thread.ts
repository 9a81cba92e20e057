import { Agent, get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** Little next to the 100 ms for which nobody may be held up; a shorter one takes a fifth of a core. */
const PAUSE_MS = 5;

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let latenciesMs: number[] = [];

parentPort?.on('message', () => {
  const sorted = latenciesMs.toSorted((left, right) => left - right);
  latenciesMs = [];
  parentPort?.postMessage({
    count: sorted.length,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    max: sorted.at(-1) ?? 0,
  });
});

function ask(): Promise<void> {
  return new Promise((resolve, reject) => {
    get(`${String(workerData)}/health`, { agent }, (response) => {
      response.resume();
      response.once('end', resolve);
    }).once('error', reject);
  });
}

for (;;) {
  const sentAtMs = performance.now();
  await ask();
  latenciesMs.push(performance.now() - sentAtMs);
  await wait(PAUSE_MS);
}
