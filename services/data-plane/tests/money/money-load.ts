import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Agent, request } from 'undici';

/**
 * Sends many equal requests at once. Runs in a worker, so that sending them does not delay the planes in the
 * test's process.
 */

export interface MoneyLoad {
  /** Where requests go, in turns. */
  urls: readonly string[];
  /** In turns, too. */
  rawKeys: readonly string[];
  requests: number;
  path: string;
  body: object;
  /** Further headers of requests, in turns. */
  headers?: readonly Record<string, string>[];
  /** Connections to each of the urls. */
  connections: number;
}

export interface MoneyLoadResult {
  /** How many answers had this status. */
  statuses: Record<string, number>;
  /** How many requests had succeeded when the first one was refused. */
  grantedBeforeRefusal: number | undefined;
  /** Streams with status 200 that ended with a 402. */
  cut: number;
  /** Pairs of needed_usd and available_usd of the refusals, each once. */
  refusals: string[][];
  /** Bodies of answers that were none of 200, 402 and 503. */
  others: string[];
  /** How often a request was sent again after a 503, by its message. */
  retries: Record<string, number>;
  tookMs: number;
}

const load: MoneyLoad = workerData;
parentPort?.postMessage(await run(load));

async function run({
  urls,
  rawKeys,
  requests,
  connections,
  path,
  body: sent,
  headers = [{}],
}: MoneyLoad): Promise<MoneyLoadResult> {
  const agent = new Agent({ connections, headersTimeout: 0, bodyTimeout: 0 });
  const statuses: Record<string, number> = {};
  const refusals = new Map<string, string[]>();
  const others: string[] = [];
  let grantedBeforeRefusal: number | undefined;
  let cut = 0;
  const retries: Record<string, number> = {};
  const send = async (index: number, attempt = 1): Promise<void> => {
    const answer = await request(`${urls[index % urls.length]}/v1/${path}`, {
      dispatcher: agent,
      method: 'POST',
      headers: {
        authorization: `Bearer ${rawKeys[Math.floor(index / urls.length) % rawKeys.length]}`,
        'content-type': 'application/json',
        ...headers[Math.floor(index / urls.length) % headers.length],
      },
      body: JSON.stringify(sent),
    });
    const body = await readCut(answer.body);
    if (answer.statusCode === 200 && body.includes('insufficient_balance')) cut += 1;
    if (answer.statusCode === 503) {
      // A machine that cannot bear all of them at once says so of some, which are sent again as the answer
      // says.
      const { message } = JSON.parse(body).error;
      retries[message] = (retries[message] ?? 0) + 1;
      // Later and later, and not all at once, as clients do.
      await wait(Number(answer.headers['retry-after']) * 1_000 * (1 + Math.random() * Math.min(attempt, 3)));
      return await send(index, attempt + 1);
    }
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
  return { statuses, grantedBeforeRefusal, cut, refusals: [...refusals.values()], others, retries, tookMs };
}

/** Reads a body that may be broken off. */
async function readCut(body: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  try {
    for await (const chunk of body) text += chunk.toString();
  } catch {
    // An incomplete stream.
  }
  return text;
}
