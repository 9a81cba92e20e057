import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { openBooks, type TestGateway } from '@model-gateway/test-kit';
import { expect } from 'vitest';
import { expectLedgerAgrees, nano, usd, warmKey } from './money-fixture.ts';
import type { MoneyLoad, MoneyLoadResult } from './money-load.ts';

/** Price of an image of sim/image-pro, as much as is held for it. */
export const IMAGE_NANO_USD = 40_000_000n;

export const IMAGE = {
  path: 'images/generations',
  body: { model: 'sim/image-pro', prompt: 'a lighthouse', n: 1 },
};

export interface ExactPoolDrill extends Omit<MoneyLoad, 'path' | 'body'> {
  /** How many of the requests the pools cover. */
  covered: number;
}

/**
 * Far more requests at once than the pools cover, each of which costs its hold: exactly those that are
 * covered succeed, all others are refused, and the pools are empty to the last nano-USD.
 * @returns figures for the log
 */
export async function exactPoolDrill(
  gateway: TestGateway,
  { covered, ...load }: ExactPoolDrill,
): Promise<string> {
  const { urls, rawKeys, requests } = load;
  for (const url of urls) for (const rawKey of rawKeys) await warmKey(url, rawKey);
  const { statuses, refusals, others, grantedBeforeRefusal, retries, tookMs } = await runLoad({
    ...load,
    ...IMAGE,
  });
  // A machine that stops a data plane for 10 s takes its holds away: then nothing below would be a mistake.
  expect(gateway.logText()).not.toContain('freed abandoned allowances');
  expect(others.slice(0, 3)).toEqual([]);
  expect(statuses).toEqual({ 200: covered, 402: requests - covered });
  for (const [needed, available] of refusals) {
    expect(needed).toBe(usd(IMAGE_NANO_USD));
    expect(nano(available ?? '')).toBeLessThan(IMAGE_NANO_USD);
  }
  const images = gateway.provider.requests.filter(({ path }) => path.endsWith('/images/generations'));
  expect(images).toHaveLength(covered);
  await expectLedgerAgrees(gateway);
  await using books = openBooks(gateway.databaseUrl);
  for (const { id, remaining } of await books.pools()) expect(remaining, id).toBe(0n);
  const [stored] = await books.query(
    'SELECT count(*) AS requests, sum(uncollected)::bigint AS uncollected FROM usage_records WHERE cost > 0',
  );
  expect(stored).toEqual({ requests: BigInt(covered), uncollected: 0n });
  return `${requests} requests in ${Math.round(tookMs)} ms: ${covered} × 200, the first 402 after ${grantedBeforeRefusal} of them, retries after 503: ${JSON.stringify(retries)}`;
}

export async function runLoad(load: MoneyLoad): Promise<MoneyLoadResult> {
  const worker = new Worker(new URL('./money-load.ts', import.meta.url), { workerData: load });
  try {
    const [result] = await once(worker, 'message');
    return result;
  } finally {
    await worker.terminate();
  }
}
