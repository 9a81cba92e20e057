import { openBooks, type TestGateway } from '@model-gateway/test-kit';
import { expect } from 'vitest';
import { runLoad } from './money-exact-pool.ts';
import { expectLedgerAgrees, nano, payingKey, usd, warmKey } from './money-fixture.ts';
import type { MoneyLoad } from './money-load.ts';

const REQUEST = {
  model: 'sim/chat-pro',
  messages: [{ role: 'user', content: 'Tell me a story.' }],
  max_tokens: 6_000,
};
/** 900 tokens of 17 bytes: more than the first 4,096 tokens of a hold cover. */
const content = ' responsibilities'.repeat(900);
/** The cost of one request, in nano-USD. */
const COST = 900n * 2_000n + 12n * 1_000n;

interface StreamsPoolDrill extends Omit<MoneyLoad, 'path' | 'body'> {
  /** Number of requests that the pool covers. */
  covered: number;
  stream: boolean;
}

/**
 * Sends far more chats at once than the pool covers. Checks that it is charged their cost, never more than it
 * has, and that nothing is uncollected.
 * @returns figures for the log
 */
export async function streamsPoolDrill(
  gateway: TestGateway,
  { covered, stream, ...load }: Omit<StreamsPoolDrill, 'rawKeys'>,
): Promise<string> {
  const poolUsd = usd(BigInt(covered) * COST);
  const { rawKey } = await payingKey(gateway, poolUsd);
  for (const url of load.urls) await warmKey(url, rawKey);
  gateway.provider.script(...Array.from({ length: load.requests }, () => ({ content })));
  const body = { ...REQUEST, stream };
  const { cut, others, statuses, tookMs } = await runLoad({
    ...load,
    rawKeys: [rawKey],
    path: 'chat/completions',
    body,
  });
  expect(gateway.logText()).not.toContain('freed abandoned allowances');
  expect(others.slice(0, 3)).toEqual([]);
  const served = statuses[200] ?? 0;
  expect(served + (statuses[402] ?? 0)).toBe(load.requests);
  await expectLedgerAgrees(gateway, 60_000);
  await using books = openBooks(gateway.databaseUrl);
  const [sums] = await books.query(
    `SELECT count(*) FILTER (WHERE client_status = 200)::int AS records, sum(charged)::bigint AS charged,
       sum(cost)::bigint AS cost, sum(uncollected)::bigint AS uncollected, max(cost - held)::bigint AS beyond,
       count(*) FILTER (WHERE client_error_code = 'insufficient_balance')::int AS cut
     FROM usage_records WHERE capability = 'chat'`,
  );
  expect(sums).toMatchObject({ records: served, cut, uncollected: 0n, charged: sums?.cost });
  expect(Number(sums?.beyond)).toBeLessThanOrEqual(0);
  const charged = BigInt(String(sums?.charged));
  expect(charged).toBeLessThanOrEqual(nano(poolUsd));
  // Refused requests are not sent again, so some reserved money stays unused.
  expect(charged).toBeGreaterThan(nano(poolUsd) / 10n);
  return (
    `${load.requests} ${stream ? 'streams' : 'plain responses'} in ${Math.round(tookMs)} ms: ${served} served, ` +
    `${cut} of them cut by a 402, ${charged} of ${nano(poolUsd)} nano-USD charged, none uncollected`
  );
}
