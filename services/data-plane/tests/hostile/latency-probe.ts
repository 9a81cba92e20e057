import { Worker } from 'node:worker_threads';

/** The latencies that another client of a data plane sees, in milliseconds. */
export interface Latencies {
  count: number;
  p99: number;
  max: number;
}

export interface LatencyProbe extends AsyncDisposable {
  /** Figures of all requests that ended since the last call. */
  take(): Promise<Latencies>;
}

/**
 * Asks for /health again and again on one connection, from a thread of its own: what the test does delays it
 * little.
 */
export async function startLatencyProbe(baseUrl: string): Promise<LatencyProbe> {
  const thread = new Worker(new URL('./latency-probe-thread.ts', import.meta.url), { workerData: baseUrl });
  const failed = new Promise<never>((_, reject) => {
    thread.once('error', reject);
  });
  failed.catch(() => undefined);
  const take = async () => {
    const answer = new Promise<Latencies>((resolve) => {
      thread.once('message', resolve);
    });
    thread.postMessage('take');
    return await Promise.race([answer, failed]);
  };
  // Resolves once the thread runs.
  await take();
  return { take, [Symbol.asyncDispose]: async () => void (await thread.terminate()) };
}
