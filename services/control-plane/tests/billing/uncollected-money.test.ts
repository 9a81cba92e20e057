import { randomUUID } from 'node:crypto';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { afterAll, expect, it } from 'vitest';
import { AllowanceStore } from '../../src/billing/allowance-store.ts';
import { SettlementStore } from '../../src/settlement/settlement-store.ts';
import { loseDataPlane, newPayer, TestAllowance } from '../fixtures/allowances-fixture.ts';
import { at, CALL_DEADLINE_MS, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { insertLease, poolsOf } from '../fixtures/pools-fixture.ts';

const USD = 1_000_000_000;

const control = useControlPlanes({ count: 2 });

afterAll(async () => {
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
});

function usage(accountId: string, requestId: string, cost: number, allowanceId: string) {
  return usageRow({
    requestId,
    cost: String(cost),
    accountId,
    allowanceId,
    modelId: 'sim/chat-pro',
    priceVersion: 1,
    billingReason: 'completed',
  });
}

async function uncollectedOf(pool: string) {
  const [row] = await control.sql`SELECT uncollected FROM pools WHERE id = ${pool}`;
  return Number(row?.uncollected);
}

/** Returns a payer whose request cost twice what its pool had. `add` adds a pool. */
async function payerWithUncollected(includedUsd: number, resets = 'never') {
  const { accountId, pool } = await newPayer(control, String(includedUsd), resets);
  const first = new TestAllowance(control, accountId);
  await first.acquire({ needs: [includedUsd * USD] });
  const requestId = `req_${randomUUID()}`;
  await settleRows(control.query, [usage(accountId, requestId, 2 * includedUsd * USD, first.id)]);
  await first.returnUnused({ close: true });
  const add = (usd: string) =>
    poolsOf(control).add({ kind: 'account', id: accountId }, { includedUsd: usd, resets: 'never' });
  return { accountId, pool, requestId, add };
}

it('a payer with uncollected money gets one need at a time, and all needs when its pools have that much', async () => {
  const { accountId, pool, add } = await payerWithUncollected(2);
  expect(await uncollectedOf(pool)).toBe(2 * USD);
  await add('1');
  const one = new TestAllowance(control, accountId);
  expect(await one.acquire({ needs: [USD / 10, USD / 10], spare: USD })).toMatchObject({
    covered: 1,
    granted: String(USD / 10),
    exact: true,
    uncollected: String(2 * USD),
  });
  for (const busy of [one, new TestAllowance(control, accountId)]) {
    expect(await busy.acquire({ needs: [USD / 10] }, 1)).toMatchObject({
      covered: 0,
      available: '0',
      held: String(USD),
    });
  }
  // acquireAllowances leaves this payer out.
  const batched = new TestAllowance(control, accountId);
  await insertLease(control, batched.instanceId);
  const { answers } = await at(control.callers, 0).callOnce(
    CALL_DEADLINE_MS,
    'billing',
    'acquireAllowances',
    { allowances: [batched.request({ needs: [USD / 100] })] },
  );
  expect(answers).toEqual({});

  await one.returnUnused({ returned: USD / 10 });
  await add('1');
  const many = new TestAllowance(control, accountId);
  expect(await many.acquire({ needs: [USD / 10, USD / 10, USD / 10] })).toMatchObject({
    covered: 3,
    uncollected: '0',
  });
  expect(await uncollectedOf(pool)).toBe(0);
});

it('a pool that gets its money every month makes up for uncollected money, however much it was', async () => {
  const { accountId, pool } = await payerWithUncollected(2, 'monthly');
  await control.sql`UPDATE pools SET uncollected = ${5 * USD} WHERE id = ${pool}`;
  for (const [left, covered] of [
    [3, 1],
    [0, 2],
  ]) {
    await control.sql`UPDATE pools SET resets_at = now() - interval '1 minute' WHERE id = ${pool}`;
    const allowance = new TestAllowance(control, accountId);
    expect(await allowance.acquire({ needs: [USD / 10, USD / 10] })).toMatchObject({ covered });
    expect(await uncollectedOf(pool)).toBe(Number(left) * USD);
    await allowance.returnUnused({ close: true });
  }
});

it('a request waits for the running one of its payer, and is covered when that has ended', async () => {
  const { accountId, add } = await payerWithUncollected(2);
  await add('1');
  const running = new TestAllowance(control, accountId);
  expect(await running.acquire({ needs: [USD / 10] })).toMatchObject({ covered: 1 });
  const waiting = new TestAllowance(control, accountId).acquire({ needs: [USD / 10] }, 1);
  await running.returnUnused({ returned: USD / 10 });
  expect(await waiting).toMatchObject({ covered: 1 });
});

it('uncollected money counts once for a request that is reported again or was provisional', async () => {
  const { accountId, pool, requestId } = await payerWithUncollected(2);
  const other = new TestAllowance(control, accountId);
  await settleRows(control.query, [usage(accountId, requestId, 4 * USD, other.id)]);
  expect(await uncollectedOf(pool)).toBe(2 * USD);

  const lost = await newPayer(control, '1');
  const allowance = new TestAllowance(control, lost.accountId);
  await allowance.acquire({ needs: [USD] });
  const running = `req_${randomUUID()}`;
  await new SettlementStore(control.prisma).checkpoint([
    usage(lost.accountId, running, 3 * USD, allowance.id),
  ]);
  await loseDataPlane(control, allowance.instanceId);
  await new AllowanceStore(control.prisma).closeExpired(allowance.id);
  expect(await uncollectedOf(lost.pool)).toBe(0);
  await settleRows(control.query, [usage(lost.accountId, running, 3 * USD, allowance.id)]);
  expect(await uncollectedOf(lost.pool)).toBe(2 * USD);
});
