import { describe, expect, it } from 'vitest';
import type { SettledRequest } from './settled-request.ts';
import { SettlementQueue } from './settlement-queue.ts';

const record = (requestId: string): SettledRequest => ({ requestId, modelId: 'm', attempts: [] });
const idsOf = (batch: { records: readonly SettledRequest[] } | undefined) =>
  batch?.records.map(({ requestId }) => requestId);

function queueOf(count: number, bounds = { maxRecords: 6, maxBatchRecords: 2, maxBatchesUnderway: 2 }) {
  const queue = new SettlementQueue(bounds);
  let dropped = 0;
  for (let index = 0; index < count; index++) dropped += queue.add(record(String(index)));
  return { queue, dropped };
}

describe('the settlement queue', () => {
  it('hands out records in order, in batches with ids of their own', () => {
    const { queue } = queueOf(3);
    const [first, second] = [queue.take(), queue.take()];
    expect([idsOf(first), idsOf(second)]).toEqual([['0', '1'], ['2']]);
    expect(first?.id).not.toBe(second?.id);
    expect(queue.take()).toBeUndefined();
  });

  it('keeps a batch as it was until it is acknowledged', () => {
    const { queue } = queueOf(3);
    const first = queue.take();
    queue.take();
    expect(queue.underway.map(idsOf)).toEqual([['0', '1'], ['2']]);
    queue.acknowledge('unknown');
    queue.acknowledge(first?.id ?? '');
    queue.acknowledge(first?.id ?? '');
    expect(queue.underway.map(idsOf)).toEqual([['2']]);
    expect(queue.size).toBe(1);
  });

  it('lets records wait while enough batches are under way', () => {
    const { queue } = queueOf(5);
    const first = queue.take();
    queue.take();
    expect(queue.take()).toBeUndefined();
    queue.acknowledge(first?.id ?? '');
    expect(idsOf(queue.take())).toEqual(['4']);
  });

  it('gives up the oldest records over its bound, and none that may be counted already', () => {
    const { queue, dropped } = queueOf(6);
    expect(dropped).toBe(0);
    const first = queue.take();
    expect(queue.add(record('6'))).toBe(1);
    expect(idsOf(first)).toEqual(['0', '1']);
    expect(idsOf(queue.take())).toEqual(['3', '4']);
    expect(queue.size).toBe(6);
  });

  it('tells the age of the oldest record until that is acknowledged', () => {
    const { queue } = queueOf(1);
    const since = queue.oldestMs;
    expect(since).toBeTypeOf('number');
    const batch = queue.take();
    expect(queue.oldestMs).toBe(since);
    queue.acknowledge(batch?.id ?? '');
    expect(queue.oldestMs).toBeUndefined();
  });
});
