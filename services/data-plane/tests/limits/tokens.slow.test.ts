import { usageSummary } from '@model-gateway/shared';
import { startGateway, startOwnRedis, type TestGateway, until } from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { describe, expect, inject, it } from 'vitest';
import { chat, useEverywhere } from './limited-chat.ts';
import { createRuledKey } from './ruled-key.ts';

const PLANES = 4;
const STREAMS = 1_000;
const LIMIT = 20_000;
const MAX_TOKENS = 300;
/** Longer than 1,000 decisions take, so that no stream is corrected while others ask. */
const DELAY_MS = 8_000;
const redis = inject('redis');

interface Streamed {
  status: number;
  /** Tokens left of the limit after its admission. */
  left: number;
}

/** Sends streams at once, spread over the data planes; of every tenth, the provider reports no usage. */
function stream(gateway: TestGateway, rawKey: string, streams: number, knobs: object): Promise<Streamed[]> {
  return Promise.all(
    Array.from({ length: streams }, async (_, index) => {
      const usage = index % 10 === 0 ? { usage: 'missing' } : {};
      const body = { stream: true, max_tokens: MAX_TOKENS, simulate: { ...usage, ...knobs } };
      const response = await chat(gateway, rawKey, { plane: index % PLANES, body });
      await response.text();
      const { headers, status } = response;
      return { status, left: Number(headers.get('x-ratelimit-remaining-tokens')) };
    }),
  );
}

/** Returns the tokens that count for the key, as a data plane sees them. */
async function usedOf(gateway: TestGateway, rawKey: string, plane = 0): Promise<number> {
  const headers = { authorization: `Bearer ${rawKey}` };
  const response = await fetch(`${gateway.urlOf(plane)}/v1/usage`, { headers });
  const { limits } = usageSummary.parse(await response.json());
  return LIMIT - (limits.find(({ name }) => name === 'key-tokens')?.remaining ?? Number.NaN);
}

describe.skipIf(redis === undefined)(`${STREAMS} concurrent streams over ${PLANES} data planes`, () => {
  it('never take more tokens than the limit, are corrected by their usage, and use the limit up', async () => {
    await using gateway = await startGateway({
      dataPlanes: PLANES,
      redisUrl: redis?.url ?? '',
      provider: { tokenDelayMs: 0 },
    });
    await using sql = openSql(gateway.databaseUrl);
    const { id, rawKey } = await createRuledKey(gateway, { tokens_per_minute: LIMIT });
    await useEverywhere(gateway, rawKey);
    const charged = async () => {
      const [row] = await sql.rows(
        `SELECT count(*)::int AS requests, sum(input_tokens + output_tokens)::int AS tokens
         FROM usage_records WHERE key_id = $1`,
        id,
      );
      return row as { requests: number; tokens: number };
    };
    let admitted = PLANES;
    const bursts: number[] = [];
    let used = 0;
    /** Sends streams, and waits until every data plane counts what they really used. */
    const burst = async (streams: number, knobs: object) => {
      const all = await stream(gateway, rawKey, streams, knobs);
      const through = all.filter(({ status }) => status === 200);
      expect(all.filter(({ status }) => status === 429)).toHaveLength(streams - through.length);
      admitted += through.length;
      bursts.push(through.length);
      await until(async () => (await charged()).requests === admitted);
      used = (await charged()).tokens;
      for (let plane = 0; plane < PLANES; plane += 1)
        await until(async () => (await usedOf(gateway, rawKey, plane)) === used);
      return through;
    };
    const first = await burst(STREAMS, { delay_ms: DELAY_MS });
    // By estimate, the limit is full: not even the smallest request fits any more.
    const largestEstimate = MAX_TOKENS + 100;
    const left = Math.min(...first.map((streamed) => streamed.left));
    expect(left).toBeGreaterThanOrEqual(0);
    expect(left).toBeLessThan(largestEstimate);
    // More are let through on a busy machine, where the first have ended before the last arrive.
    expect(first.length).toBeGreaterThan(LIMIT / largestEstimate - 2);
    expect(used).toBeLessThan(LIMIT);
    // Longer answers, so that a few bursts use the limit up.
    while (bursts.at(-1) !== 0) await burst(200, { content: 'word '.repeat(250) });
    console.info(`${bursts.join(' + ')} streams in bursts: ${used} of ${LIMIT} tokens used`);
    expect(used).toBeLessThanOrEqual(LIMIT);
    // The longer ones say so in their bodies.
    expect(used).toBeGreaterThan(LIMIT - largestEstimate - 700);
  });
});

describe.skipIf(!inject('ownRedis'))('a limit of tokens while Redis is away', () => {
  it('gives each data plane its share of the limit, and earlier tokens count again afterwards', async () => {
    await using server = await startOwnRedis();
    await using gateway = await startGateway({
      dataPlanes: 2,
      redisUrl: server.url,
      environment: { EXPECTED_REPLICAS: '2' },
    });
    const { rawKey } = await createRuledKey(gateway, { tokens_per_minute: LIMIT });
    const announced = async (plane: number) => {
      const response = await chat(gateway, rawKey, { plane, body: { max_tokens: 1_000 } });
      await response.text();
      const { headers } = response;
      return {
        limit: Number(headers.get('x-ratelimit-limit-tokens')),
        left: Number(headers.get('x-ratelimit-remaining-tokens')),
      };
    };
    await useEverywhere(gateway, rawKey);
    const before = await usedOf(gateway, rawKey);
    server.suspend();
    await until(async () => (await announced(0)).limit === LIMIT / 2);
    await until(async () => (await announced(1)).limit === LIMIT / 2);
    // What was counted in memory is corrected in memory.
    const { left } = await announced(0);
    expect(left).toBeGreaterThan(LIMIT / 2 - 3_000);
    server.resume();
    await until(async () => (await announced(0)).limit === LIMIT);
    expect(before).toBeGreaterThan(0);
    expect((await announced(0)).left).toBeLessThanOrEqual(LIMIT - before - 1_000);
  });
});
