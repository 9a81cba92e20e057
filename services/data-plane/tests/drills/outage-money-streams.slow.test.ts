import { setTimeout as wait } from 'node:timers/promises';
import { until } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, at, type Plan, send } from './outage-money-load.ts';
import { type MoneyStack, startMoneyStack, type UsageRecord } from './outage-money-stack.ts';

const CHECKPOINT_MS = 3_000;
/** 11 s on a quiet machine, and less than two times the TTL of 10 s. */
const TTL_AND_SWEEP_MS = 18_000;
/**
 * Allows for a busy machine, on the way from the client to the data plane, to the database and back.
 */
const SLACK_MS = 1_000;

const scope = new AsyncDisposableStack();
let stack: MoneyStack;
beforeAll(async () => {
  stack = scope.use(await startMoneyStack({ dataPlanes: 2 }));
});
afterAll(() => scope.disposeAsync());

/** Sends a request to the first data plane. @returns its answer and its usage record */
async function billed(plan: Plan): Promise<{ answer: Answer; record: UsageRecord; rawKey: string }> {
  const { rawKey } = await stack.createPayer('10');
  const answer = await send(at(stack.dataPlanes, 0).port, rawKey, plan);
  const record = await recordOf(answer);
  return { answer, record, rawKey };
}

async function recordOf({ requestId = '' }: Answer): Promise<UsageRecord> {
  let record: UsageRecord | undefined;
  await until(async () => {
    record = (await stack.usageRecords()).get(requestId);
    return record !== undefined;
  });
  if (record === undefined) throw new Error('no record');
  return record;
}

const words = (count: number) => 'word '.repeat(count).trim();

describe.concurrent('the bill of a stream', () => {
  it('a stream whose client leaves is billed for what was delivered', async () => {
    const { answer, record } = await billed({
      streamed: true,
      maxTokens: 200,
      simulate: { content: words(190), token_delay_ms: 10 },
      abortAfterEvents: 20,
    });
    expect(answer.complete).toBe(false);
    expect(record.reason).toBe('aborted_partial');
    expect(record.outputTokens).toBeGreaterThanOrEqual(BigInt(answer.deltas));
    expect(record.outputTokens).toBeLessThan(180n);
    expect(record.cost).toBe(record.inputTokens * 1_000n + record.outputTokens * 2_000n);
    expect(record.charged).toBe(record.cost);
  });

  it('a stream whose provider fails before any output is free', async () => {
    for (const simulate of [{ status: 500 }, { reset: { after_events: 0 } }, { rubbish: 'html' }]) {
      const { answer, record } = await billed({ streamed: true, simulate });
      expect(answer.status).toBe(502);
      expect(record).toMatchObject({ reason: 'upstream_failed_free', cost: 0n, charged: 0n, paid: 0n });
    }
  });

  it('a stream whose provider breaks off is billed for what was delivered', async () => {
    const { answer, record } = await billed({
      streamed: true,
      simulate: { content: words(30), token_delay_ms: 2, truncate: { after_events: 12 } },
    });
    expect(answer.complete).toBe(false);
    expect(record.reason).toBe('aborted_partial');
    expect(record.outputTokens).toBeGreaterThanOrEqual(BigInt(answer.deltas));
    expect(record.charged).toBe(record.inputTokens * 1_000n + record.outputTokens * 2_000n);
  });

  it('a response without usage is billed by an estimate, streamed or not', async () => {
    for (const streamed of [true, false]) {
      const { answer, record } = await billed({
        streamed,
        simulate: { content: words(30), usage: 'missing' },
      });
      expect(answer.status).toBe(200);
      expect(record).toMatchObject({ reason: 'estimated', source: 'estimated' });
      expect(record.outputTokens).toBeGreaterThanOrEqual(30n);
      expect(record.charged).toBe(record.inputTokens * 1_000n + record.outputTokens * 2_000n);
    }
  });

  it('a stream whose data plane is killed is billed up to its last checkpoint', async () => {
    const dataPlane = at(stack.dataPlanes, 1);
    const { keyId, rawKey, poolId } = await stack.createPayer('10');
    const tokenMs = 20;
    const sending = send(dataPlane.port, rawKey, {
      streamed: true,
      maxTokens: 2_000,
      simulate: { content: words(1_000), token_delay_ms: tokenMs },
    });
    const checkpoints = () => stack.sql.rows('SELECT FROM usage_checkpoints WHERE key_id = $1', keyId);
    await until(async () => (await checkpoints()).length > 0);
    // Some tokens come after the checkpoint.
    await wait(SLACK_MS);
    const killedAtMs = performance.now();
    await dataPlane.kill();
    const answer = await sending;
    const record = await recordOf(answer);
    const billedAfterMs = performance.now() - killedAtMs;
    const pool = (await stack.pools()).find(({ id }) => id === poolId);
    const lostTokens = BigInt(answer.deltas) - record.outputTokens;
    console.log(
      `killed stream: ${answer.deltas} tokens delivered, ${record.outputTokens} billed, ${Math.round(billedAfterMs)} ms later`,
    );
    expect(answer.complete).toBe(false);
    expect(record.reason).toBe('aborted_partial');
    expect(record.outputTokens).toBeGreaterThan(0n);
    expect(lostTokens).toBeLessThanOrEqual(BigInt((CHECKPOINT_MS + SLACK_MS) / tokenMs));
    expect(record.charged).toBe(record.inputTokens * 1_000n + record.outputTokens * 2_000n);
    expect(pool).toMatchObject({ held: 0n, charged: record.charged });
    expect(billedAfterMs).toBeLessThanOrEqual(TTL_AND_SWEEP_MS);
    expect(await stack.verifyLedger()).toEqual([]);
  });
});
