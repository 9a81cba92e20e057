import { openBooks, type TestGateway } from '@model-gateway/test-kit';
import { expect } from 'vitest';
import { runLoad } from './money-exact-pool.ts';
import { expectLedgerAgrees, nano, warmKey } from './money-fixture.ts';
import type { MoneyLoad } from './money-load.ts';

/** A stream of about 5,000 tokens, which reserves 4,096 at first; a plain answer reserves all of them. */
const REQUEST = {
  model: 'sim/chat-pro',
  messages: [{ role: 'user', content: 'Tell me a story.' }],
  max_tokens: 6_000,
};

interface StreamsPoolDrill extends Omit<MoneyLoad, 'path' | 'body'> {
  poolUsd: string;
  stream: boolean;
  content: string;
}

/**
 * Far more chats at once than the pool covers: it is charged what they cost and never more than it has, and
 * nothing is left uncollected.
 * @returns figures for the log
 */
export async function streamsPoolDrill(
  gateway: TestGateway,
  { content, poolUsd, stream, ...load }: StreamsPoolDrill,
): Promise<string> {
  for (const url of load.urls) for (const rawKey of load.rawKeys) await warmKey(url, rawKey);
  gateway.provider.script(...Array.from({ length: load.requests }, () => ({ content })));
  const body = { ...REQUEST, stream };
  const { cut, others, statuses, tookMs } = await runLoad({ ...load, path: 'chat/completions', body });
  expect(gateway.logText()).not.toContain('freed abandoned allowances');
  expect(others.slice(0, 3)).toEqual([]);
  const served = statuses[200] ?? 0;
  expect(served + (statuses[402] ?? 0)).toBe(load.requests);
  await expectLedgerAgrees(gateway, 60_000);
  await using books = openBooks(gateway.databaseUrl);
  const [sums] = await books.query(
    `SELECT count(*)::int AS records, sum(charged)::bigint AS charged, sum(cost)::bigint AS cost,
       sum(uncollected)::bigint AS uncollected, max(cost - held)::bigint AS beyond,
       count(*) FILTER (WHERE client_error_code = 'insufficient_balance')::int AS cut
     FROM usage_records WHERE cost > 0`,
  );
  expect(sums).toMatchObject({ records: served, cut, uncollected: 0n, charged: sums?.cost });
  expect(Number(sums?.beyond)).toBeLessThanOrEqual(0);
  const charged = BigInt(String(sums?.charged));
  expect(charged).toBeLessThanOrEqual(nano(poolUsd));
  // All but the first were refused because the pool was used up or reserved.
  expect(charged).toBeGreaterThan(nano(poolUsd) / 4n);
  return `${load.requests} ${stream ? 'streams' : 'plain answers'} in ${Math.round(tookMs)} ms: ${served} served, ${cut} of them cut by a 402, ${charged} of ${nano(poolUsd)} nano-USD charged, none uncollected`;
}
