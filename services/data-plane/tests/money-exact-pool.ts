import { Agent, request } from 'undici';
import { expect } from 'vitest';
import { envelopeOf, openBooks, type TestGateway } from '../../../packages/test-kit/src/index.ts';
import { expectCleanBooks, introduce, nano, usd } from './money-fixture.ts';

/** Of sim/image-pro; an image costs what is held for it. */
export const IMAGE_NANO_USD = 40_000_000n;

export interface ExactPoolDrill {
  /** Where requests go, in turns; all of one gateway. */
  urls: readonly string[];
  /** In turns, too. */
  rawKeys: readonly string[];
  requests: number;
  /** How many of them the pools cover. */
  covered: number;
  /** Connections to each data plane. */
  connections: number;
}

/**
 * Far more requests at once than the pools cover, each of which costs its hold: exactly those that are covered succeed,
 * all others are refused, and the pools are empty to the last nano-USD.
 * @returns figures for the log
 */
export async function exactPoolDrill(
  gateway: TestGateway,
  { urls, rawKeys, requests, covered, connections }: ExactPoolDrill,
): Promise<string> {
  for (const url of urls) for (const rawKey of rawKeys) await introduce(url, rawKey);
  const agent = new Agent({ connections, headersTimeout: 0, bodyTimeout: 0 });
  const startedAtMs = performance.now();
  const statuses = new Map<number, number>();
  const others: string[] = [];
  const refusals: unknown[] = [];
  let firstRefusalAfter: number | undefined;
  const send = async (index: number) => {
    const answer = await request(`${at(urls, index)}/v1/images/generations`, {
      dispatcher: agent,
      method: 'POST',
      headers: {
        authorization: `Bearer ${at(rawKeys, Math.floor(index / urls.length))}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ model: 'sim/image-pro', prompt: 'a lighthouse', n: 1 }),
    });
    const body = await answer.body.text();
    statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1);
    if (answer.statusCode === 402) {
      firstRefusalAfter ??= statuses.get(200) ?? 0;
      const error = envelopeOf({ body }) as unknown as Record<string, string>;
      refusals.push([
        (performance.now() - startedAtMs) | 0,
        index % 4,
        Math.floor(index / 4) % 2,
        error.available_usd,
        error.held_usd,
      ]);
      expect(nano(error.available_usd ?? '')).toBeLessThan(IMAGE_NANO_USD);
      expect(error.needed_usd).toBe(usd(IMAGE_NANO_USD));
    } else if (answer.statusCode !== 200) others.push(body);
  };
  try {
    await Promise.all(Array.from({ length: requests }, (_, index) => send(index)));
  } finally {
    await agent.destroy();
  }
  const tookMs = performance.now() - startedAtMs;
  {
    await using b = openBooks(gateway.databaseUrl);
    console.log(
      'DEBUG',
      Object.fromEntries(statuses),
      await b.pools(),
      refusals
        .slice(0, 400)
        .map((x) => JSON.stringify(x))
        .filter((x, i, l) => x !== l[i - 1]),
      await b.query('select * from allowances'),
    );
  }
  expect(others.slice(0, 3)).toEqual([]);
  expect(Object.fromEntries(statuses)).toEqual({ 200: covered, 402: requests - covered });
  const images = gateway.provider.requests.filter(({ path }) => path.endsWith('/images/generations'));
  expect(images).toHaveLength(covered);
  await expectCleanBooks(gateway);
  await using books = openBooks(gateway.databaseUrl);
  for (const { id, remaining } of await books.pools()) expect(remaining, id).toBe(0n);
  const [stored] = await books.query(
    'SELECT count(*) AS requests, sum(uncollected)::bigint AS uncollected FROM usage_records WHERE cost > 0',
  );
  expect(stored).toEqual({ requests: BigInt(covered), uncollected: 0n });
  return `${requests} requests in ${Math.round(tookMs)} ms: ${covered} × 200, first 402 after ${firstRefusalAfter} × 200`;
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('there is none to choose from');
  return item;
}
