import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * Worker thread of honest clients: each sends a request, reads the response, and repeats. Each message is
 * answered with the figures since the previous one.
 */

export interface HonestFigures {
  served: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** By status and code, or what broke the connection. */
  refused: Record<string, number>;
}

const { port, rawKeys }: { port: number; rawKeys: readonly string[] } = workerData;
const PAUSE_MS = 20;
const SIZES = [200, 2_000, 200, 20_000, 200, 200_000, 200, 2_000_000];

let latenciesMs: number[] = [];
let refused: Record<string, number> = {};

async function ask(rawKey: string, bytes: number): Promise<void> {
  const sentAtMs = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sim/chat-free',
      messages: [{ role: 'user', content: 'x'.repeat(bytes) }],
    }),
  });
  const text = await response.text();
  if (response.status === 200) latenciesMs.push(performance.now() - sentAtMs);
  else count(`${response.status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''} (${bytes} bytes)`);
}

function count(what: string): void {
  refused[what] = (refused[what] ?? 0) + 1;
}

async function client(rawKey: string): Promise<never> {
  for (let sent = 0; ; sent++) {
    await ask(rawKey, SIZES[sent % SIZES.length] ?? 0).catch((error: unknown) => count(String(error)));
    await wait(PAUSE_MS);
  }
}

for (const rawKey of rawKeys) void client(rawKey);

parentPort?.on('message', () => {
  const sorted = latenciesMs.toSorted((left, right) => left - right);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const figures: HonestFigures = {
    served: sorted.length,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: at(1),
    refused,
  };
  latenciesMs = [];
  refused = {};
  parentPort?.postMessage(figures);
});
