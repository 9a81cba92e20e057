import { setTimeout as wait } from 'node:timers/promises';
import { until, untilWithin, watchLag } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import type { SettlementStream } from '../../src/settlement/settlement-stream.ts';
import { settled, startSettlement } from './settlement-fixture.ts';

const MODEL = 'sim/chat-free';

/** Traffic that goes on while something happens. @returns how many requests were recorded */
async function recordDuring(stream: SettlementStream, happening: () => Promise<void>): Promise<number> {
  let count = 0;
  const traffic = setInterval(() => {
    for (let each = 0; each < 5; each++) {
      void stream.record(settled(MODEL));
      count++;
    }
  }, 2);
  try {
    await happening();
  } finally {
    clearInterval(traffic);
  }
  return count;
}

describe.concurrent('every ended request counts exactly once', () => {
  it('every request counts once while connections to both control planes break again and again', async () => {
    await using settlement = await startSettlement({ controlPlanes: 2 });
    const { stream, proxies } = settlement;
    const count = await recordDuring(stream, async () => {
      for (let round = 0; round < 12; round++) {
        const proxy = proxies[round % 2];
        await wait(100);
        proxy?.cut();
        await wait(round % 3 === 0 ? 120 : 5);
        proxy?.restore();
      }
    });
    await until(() => stream.pending === 0);
    expect(count).toBeGreaterThan(100);
    expect(await settlement.countOf(MODEL, count)).toBe(count);
    expect(await settlement.lost('overflow')).toBe(0);
  });

  it('every request counts once while one control plane stops and another takes over', async () => {
    await using settlement = await startSettlement({ controlPlanes: 2 });
    const { stream, gateway } = settlement;
    const count = await recordDuring(stream, async () => {
      await wait(200);
      await gateway.controlPlanes[0]?.close();
      await wait(300);
    });
    await until(() => stream.pending === 0);
    expect(await settlement.countOf(MODEL, count, 1)).toBe(count);
  });

  it('every request counts once when a stalled connection delivers late', async () => {
    await using settlement = await startSettlement({ controlPlanes: 2 });
    const { stream, proxies } = settlement;
    const count = await recordDuring(stream, async () => {
      await wait(100);
      proxies[0]?.stall();
      await wait(100);
    });
    expect(stream.pending).toBeGreaterThan(0);
    await until(() => stream.pending === 0);
    proxies[0]?.restore();
    expect(await settlement.countOf(MODEL, count)).toBe(count);
  });
});

describe('a settlement queue without any control plane', () => {
  it('the queue drops records beyond its bound, counts them as lost, and settles the rest later', async () => {
    const bounds = { maxRecords: 100, maxBatchRecords: 20, maxBatchesUnderway: 2 };
    await using settlement = await startSettlement({ bounds });
    const { stream, proxies } = settlement;
    void stream.record(settled(MODEL));
    await until(() => stream.pending === 0);
    proxies[0]?.cut();
    for (let each = 0; each < 250; each++) void stream.record(settled(MODEL));
    expect(stream.pending).toBe(100);
    expect(await settlement.lost('overflow')).toBe(150);
    proxies[0]?.restore();
    await until(() => stream.pending === 0);
    expect(await settlement.countOf(MODEL, 101)).toBe(101);
  });

  it('closing a settlement stream takes no longer than its bound, and returns the number of lost records', async () => {
    await using settlement = await startSettlement();
    settlement.proxies[0]?.cut();
    for (let each = 0; each < 3; each++) void settlement.stream.record(settled(MODEL));
    using lag = watchLag();
    const startedAtMs = performance.now();
    expect(await settlement.stream.close(200)).toBe(3);
    expect(performance.now() - startedAtMs).toBeLessThan(1_000 + lag.allowanceMs());
    expect(await settlement.lost('shutdown')).toBe(3);
  });
});

it('closing a settlement stream sends the remaining records', async () => {
  await using settlement = await startSettlement();
  for (let each = 0; each < 3_000; each++) void settlement.stream.record(settled(MODEL));
  expect(await settlement.stream.close(60_000)).toBe(0);
  expect(await settlement.countOf(MODEL, 3_000)).toBe(3_000);
});

it('a record is committed within a quarter of a second', async () => {
  await using settlement = await startSettlement();
  void settlement.stream.record(settled(MODEL));
  await until(() => settlement.stream.pending === 0);
  void settlement.stream.record(settled(MODEL));
  await untilWithin(250, () => settlement.stream.pending === 0);
});
