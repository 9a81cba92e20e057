import { gatewayProto } from '@model-gateway/contracts';
import { describe, expect, it } from 'vitest';
import type { SettledRequest } from './settled-request.ts';
import { type SettlementBatch, SettlementQueue } from './settlement-queue.ts';

const record = (requestId: string, priceVersion?: number): SettledRequest => ({
  requestId,
  modelId: 'm',
  capability: 'chat',
  owner: { accountId: 'a' },
  keyId: 'k',
  ...(priceVersion === undefined ? {} : { priceVersion }),
  usageSource: '',
  billingReason: 'upstream_failed_free',
  held: 0n,
  endedAtMs: 1,
  attempts: [],
});
const { requestDeserialize } = gatewayProto.BillingService.service.SettleUsage;
const idsOf = (batch: SettlementBatch | undefined) =>
  batch && requestDeserialize(batch.message.bytes).records.map(({ requestId }) => requestId);

function queueOf(count: number, bounds = { maxRecords: 6, maxBatchRecords: 2, maxBatchesUnderway: 2 }) {
  const queue = new SettlementQueue(bounds);
  let dropped = 0;
  for (let index = 0; index < count; index++) if (!queue.add(record(String(index)))) dropped += 1;
  return { queue, dropped };
}

describe('the settlement queue', () => {
  it('returns records in order, in batches with distinct ids', () => {
    const { queue } = queueOf(3);
    const [first, second] = [queue.take(), queue.take()];
    expect([idsOf(first), idsOf(second)]).toEqual([['0', '1'], ['2']]);
    expect(first?.message.id).not.toBe(second?.message.id);
    expect(queue.take()).toBeUndefined();
  });

  it('holds a batch unchanged until it is acknowledged', () => {
    const { queue } = queueOf(3);
    const first = queue.take();
    queue.take();
    expect(queue.inFlight.map(idsOf)).toEqual([['0', '1'], ['2']]);
    queue.acknowledge('unknown');
    queue.acknowledge(first?.message.id ?? '');
    queue.acknowledge(first?.message.id ?? '');
    expect(queue.inFlight.map(idsOf)).toEqual([['2']]);
    expect(queue.size).toBe(1);
  });

  it('returns no batch while the maximum is in flight', () => {
    const { queue } = queueOf(5);
    const first = queue.take();
    queue.take();
    expect(queue.take()).toBeUndefined();
    queue.acknowledge(first?.message.id ?? '');
    expect(idsOf(queue.take())).toEqual(['4']);
  });

  it('has one batch in flight by default, and up to 500 records in the next one', () => {
    const queue = new SettlementQueue();
    queue.add(record('first'));
    const first = queue.take();
    for (let index = 0; index < 600; index++) queue.add(record(String(index)));
    expect(queue.take()).toBeUndefined();
    queue.acknowledge(first?.message.id ?? '');
    expect(queue.take()?.size).toBe(500);
    expect(queue.take()).toBeUndefined();
  });

  it('drops free records when it is full, but never paid ones', () => {
    const { queue, dropped } = queueOf(6);
    expect([dropped, queue.isFull]).toEqual([0, true]);
    expect(queue.add(record('free'))).toBeUndefined();
    expect(queue.add(record('paid', 1))).toBeDefined();
    expect(queue.size).toBe(7);
  });

  it('counts down the allowance of each record once, when its batch is acknowledged', async () => {
    const queue = new SettlementQueue();
    const [first, second] = [{ unsettled: 2 }, { unsettled: 1 }];
    const committed = queue.add(record('a'), first)?.committed;
    queue.add(record('b'), first);
    queue.add(record('free'));
    const batch = queue.take();
    queue.add(record('c'), second);
    expect([first.unsettled, second.unsettled]).toEqual([2, 1]);
    queue.acknowledge(batch?.message.id ?? '');
    queue.acknowledge(batch?.message.id ?? '');
    expect([first.unsettled, second.unsettled]).toEqual([0, 1]);
    await committed;
  });

  it('has the time of the oldest record until it is acknowledged', () => {
    const { queue } = queueOf(1);
    const since = queue.oldestMs;
    expect(since).toBeTypeOf('number');
    const batch = queue.take();
    expect(queue.oldestMs).toBe(since);
    queue.acknowledge(batch?.message.id ?? '');
    expect(queue.oldestMs).toBeUndefined();
  });
});
