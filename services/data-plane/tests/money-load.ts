import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Agent, request } from 'undici';

/** Many image requests at once; a worker, so that sending them does not hold up the planes of the test's process. */

export interface MoneyLoad {
  /** Where requests go, in turns. */
  urls: readonly string[];
  /** In turns, too. */
  rawKeys: readonly string[];
  requests: number;
  /** Connections to each of the urls. */
  connections: number;
}

export interface MoneyLoadResult {
  /** How many answers had this status. */
  statuses: Record<string, number>;
  /** How many requests had succeeded when the first one was refused. */
  grantedBeforeRefusal: number | undefined;
  /** Pairs of needed_usd and available_usd of the refusals, each once. */
  refusals: string[][];
  /** Bodies of answers that were neither 200 nor 402. */
  others: string[];
  tookMs: number;
}

const load: MoneyLoad = workerData;
parentPort?.postMessage(await run(load));

async function run({ urls, rawKeys, requests, connections }: MoneyLoad): Promise<MoneyLoadResult> {
  const agent = new Agent({ connections, headersTimeout: 0, bodyTimeout: 0 });
  const statuses: Record<string, number> = {};
  const refusals = new Map<string, string[]>();
  const others: string[] = [];
  let grantedBeforeRefusal: number | undefined;
  const send = async (index: number) => {
    const answer = await request(`${urls[index % urls.length]}/v1/images/generations`, {
      dispatcher: agent,
      method: 'POST',
      headers: {
        authorization: `Bearer ${rawKeys[Math.floor(index / urls.length) % rawKeys.length]}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ model: 'sim/image-pro', prompt: 'a lighthouse', n: 1 }),
    });
    const body = await answer.body.text();
    if (answer.statusCode === 402) {
      grantedBeforeRefusal ??= statuses[200] ?? 0;
      const { needed_usd: needed, available_usd: available } = JSON.parse(body).error;
      refusals.set(`${needed} ${available}`, [needed, available]);
    } else if (answer.statusCode !== 200) others.push(body);
    statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1;
  };
  // First the connections, so that nothing but requests is measured.
  const connect = async (index: number) => {
    const answer = await request(`${urls[index % urls.length]}/health`, { dispatcher: agent });
    await answer.body.dump();
  };
  await Promise.all(
    Array.from({ length: Math.min(requests, connections * urls.length) }, (_, i) => connect(i)),
  );
  await wait(1_000);
  const startedAtMs = performance.now();
  await Promise.all(Array.from({ length: requests }, (_, index) => send(index)));
  const tookMs = performance.now() - startedAtMs;
  await agent.destroy();
  return { statuses, grantedBeforeRefusal, refusals: [...refusals.values()], others, tookMs };
}
