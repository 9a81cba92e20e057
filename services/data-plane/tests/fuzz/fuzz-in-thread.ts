import { Worker } from 'node:worker_threads';
import type { FuzzResult, FuzzTask } from './fuzz-thread.ts';

/** Longer than any input may take, and than a busy machine holds a thread back. */
const HANGS_AFTER_MS = 40_000;
const CHECK_MS = 1_000;
const MAX_INPUT_BYTES = 16 * 1024 * 1024;
const HEAD_BYTES = 8;

/** Runs a task in a thread. An input that hangs, or ends the thread, is its failure. */
export async function fuzzInThread(task: Omit<FuzzTask, 'current'>): Promise<FuzzResult> {
  const current = new SharedArrayBuffer(HEAD_BYTES + MAX_INPUT_BYTES);
  const counts = new Int32Array(current, 0, 2);
  const worker = new Worker(new URL('./fuzz-thread.ts', import.meta.url), {
    workerData: { ...task, current },
  });
  const startedMs = performance.now();
  const { promise, resolve } = Promise.withResolvers<FuzzResult>();
  const failed = (error: string) => {
    const json = Buffer.from(new Uint8Array(current, HEAD_BYTES, counts[0])).toString();
    const seconds = (performance.now() - startedMs) / 1_000;
    resolve({ runs: Atomics.load(counts, 1), seconds, failure: { json: json || 'null', error } });
  };
  worker.on('message', resolve);
  worker.on('error', (error) =>
    failed(error instanceof Error ? (error.stack ?? error.message) : String(error)),
  );
  worker.on('exit', () => failed('the thread ended'));
  let seen = -1;
  let sinceMs = performance.now();
  const watch = setInterval(() => {
    const runs = Atomics.load(counts, 1);
    if (runs !== seen) sinceMs = performance.now();
    seen = runs;
    if (runs > 0 && performance.now() - sinceMs > HANGS_AFTER_MS) failed('the input hangs');
  }, CHECK_MS);
  try {
    return await promise;
  } finally {
    clearInterval(watch);
    await worker.terminate();
  }
}
