import { randomUUID } from 'node:crypto';
import { GrpcStatus } from '@model-gateway/contracts';
import { until } from '@model-gateway/test-kit';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { afterAll, describe, expect, it } from 'vitest';
import { AllowanceStore } from '../../src/billing/allowance-store.ts';
import { SettlementStore } from '../../src/settlement/settlement-store.ts';
import { expectRefusal } from '../fixtures/administration-fixture.ts';
import { loseDataPlane, newPayer, poolAmounts, TestAllowance } from '../fixtures/allowances-fixture.ts';
import { addBudget, windowOf } from '../fixtures/budgets-fixture.ts';
import { at, CALL_DEADLINE_MS, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { insertLease, poolsOf } from '../fixtures/pools-fixture.ts';

const USD = 1_000_000_000;

const control = useControlPlanes({ count: 2 });

afterAll(async () => {
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
});

/** A payer with plenty, and an allowance within a window of each budget. */
async function payerWithin(...budgets: string[]) {
  const { accountId, pool } = await newPayer(control, '100.00');
  const windows = budgets.map((budget) => `${budget}/2026-11`);
  const allowance = (instanceId?: string) => new TestAllowance(control, accountId, instanceId, windows);
  const settle = async (cost: number, allowanceId: string | null, requestId = `req_${randomUUID()}`) => {
    await settleRows(control.query, [usage({ accountId, requestId, cost, allowanceId, budgets: windows })]);
    const [row] = await control.sql`
      SELECT charged, uncollected FROM usage_records WHERE request_id = ${requestId}`;
    return { charged: Number(row?.charged), uncollected: Number(row?.uncollected) };
  };
  return { accountId, pool, windows, window: windows[0] ?? '', allowance, settle };
}

interface Used {
  accountId: string;
  requestId: string;
  cost: number;
  allowanceId: string | null;
  budgets: readonly string[];
}

function usage({ cost, ...used }: Used) {
  return usageRow({ ...used, cost: String(cost), modelId: 'sim/chat-pro', priceVersion: 1 });
}

function acquireMany(...requests: { allowance: TestAllowance; needs: number[]; spare?: number }[]) {
  const allowances = requests.map(({ allowance, ...wanted }) => allowance.request(wanted));
  return at(control.callers, 0).callOnce(CALL_DEADLINE_MS, 'billing', 'acquireAllowances', { allowances });
}

describe('a grant within budgets', () => {
  it('goes as far as the budget with the least left, and counts in the windows of all', async () => {
    const [wide, narrow] = [
      await addBudget(control, { limit: 9 * USD }),
      await addBudget(control, { limit: 3 * USD }),
    ];
    const { allowance, windows } = await payerWithin(wide, narrow);
    expect(await windowOf(control, at(windows, 0))).toBeUndefined();
    expect(await allowance().acquire({ needs: [2 * USD, USD, 1] })).toMatchObject({
      covered: 2,
      exact: true,
    });
    for (const window of windows)
      expect(await windowOf(control, window)).toEqual({ held: 3 * USD, spent: 0 });
    expect(await allowance().acquire({ needs: [1] })).toMatchObject({
      covered: 0,
      available: String(97 * USD),
      shortBudget: { windowId: windows[1], limit: String(3 * USD), remaining: '0', held: String(3 * USD) },
    });
  });

  it('has spare money of at most an eighth of what is left', async () => {
    const { allowance } = await payerWithin(await addBudget(control, { limit: 9 * USD }));
    const answer = await allowance().acquire({ needs: [USD], spare: 50 * USD });
    expect(answer).toMatchObject({ covered: 1, granted: String(2 * USD), exact: false });
    expect(answer.shortBudget).toBeNull();
  });

  it('never exceeds them, however many are requested at once at two control planes', async () => {
    const { allowance, window } = await payerWithin(await addBudget(control, { limit: USD }));
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        allowance().acquire({ needs: [USD / 10, USD / 10] }, index % 2),
      ),
    );
    expect(answers.reduce((sum, { covered }) => sum + covered, 0)).toBe(10);
    expect(await windowOf(control, window)).toEqual({ held: USD, spent: 0 });
  });

  it('is bounded by them for an unlimited pool, too', async () => {
    const { accountId } = await newPayer(control, '1.00');
    await poolsOf(control).add({ kind: 'account', id: accountId }, { unlimited: true });
    const budget = await addBudget(control, { limit: 5 * USD });
    const allowance = new TestAllowance(control, accountId, undefined, [`${budget}/total`]);
    expect(await allowance.acquire({ needs: [3 * USD, 3 * USD] })).toMatchObject({ covered: 1 });
  });

  it('counts in each window anew', async () => {
    const budget = await addBudget(control, { limit: USD });
    const { accountId } = await newPayer(control, '9.00');
    for (const window of ['2026-11', '2026-12', '2026-12/someone', '2026-12/someone/else']) {
      const allowance = new TestAllowance(control, accountId, undefined, [`${budget}/${window}`]);
      expect(await allowance.acquire({ needs: [USD, 1] })).toMatchObject({ covered: 1 });
    }
  });

  it('returns to them together with the pools', async () => {
    const { allowance, pool, window } = await payerWithin(await addBudget(control, { limit: 5 * USD }));
    const [one, other] = [allowance(), allowance()];
    await one.acquire({ needs: [3 * USD] });
    await other.acquire({ needs: [USD] });
    await one.returnUnused({ returned: USD });
    expect(await windowOf(control, window)).toEqual({ held: 3 * USD, spent: 0 });
    const { answers } = await at(control.callers, 0).callOnce(
      CALL_DEADLINE_MS,
      'billing',
      'returnAllowances',
      {
        allowances: [
          { allowanceId: one.id, returned: 2 * USD, recall: 0, close: false, granted: 3 * USD },
          { allowanceId: other.id, returned: USD, recall: 0, close: true, granted: USD },
        ],
      },
    );
    expect(Object.keys(answers)).toHaveLength(2);
    expect(await windowOf(control, window)).toEqual({ held: USD, spent: 0 });
    expect(await poolAmounts(control, pool)).toMatchObject({ held: String(USD) });
  });

  it('returns together with others also while the locks that all of them need are taken', async () => {
    const { allowance } = await payerWithin(await addBudget(control, { limit: 5 * USD }));
    const allowances = [allowance(), allowance()];
    for (const each of allowances) await each.acquire({ needs: [USD] });
    await control.query('BEGIN');
    await control.sql`SELECT FROM pools FOR UPDATE`;
    const returning = at(control.callers, 0).callOnce(CALL_DEADLINE_MS, 'billing', 'returnAllowances', {
      allowances: allowances.map(({ id }) => ({
        allowanceId: id,
        returned: USD,
        recall: 0,
        close: true,
        granted: USD,
      })),
    });
    await until(async () => {
      const [row] = await control.sql`SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted`;
      return row?.waiting === 1;
    });
    await control.query('COMMIT');
    expect(Object.keys((await returning).answers)).toHaveLength(2);
  });

  it('follows when others, also of other payers, have returned what they do not use', async () => {
    const budget = await addBudget(control, { limit: 9 * USD });
    const [one, other] = [await payerWithin(budget), await payerWithin(budget)];
    const watch = await control.dataPlane(1);
    const holder = one.allowance(watch.instanceId);
    await holder.acquire({ needs: [USD], spare: 50 * USD });
    const acquiring = other.allowance().acquire({ needs: [8 * USD] });
    const recall = await holder.waitForRecall(watch);
    await holder.returnUnused({ returned: USD, recall }, 1);
    expect(await acquiring).toMatchObject({ covered: 1, granted: String(8 * USD), exact: true });
  });

  it('covers many payers in one call, without those whose budget is nearly used up or locked', async () => {
    const shared = await addBudget(control, { limit: 80 * USD });
    const [first, second] = [await payerWithin(shared), await payerWithin(shared)];
    const low = await payerWithin(await addBudget(control, { limit: USD }));
    const locked = await payerWithin(await addBudget(control, { limit: 50 * USD }));
    const removed = await payerWithin('bud_removed');
    const free = await payerWithin();
    const all = [first, second, low, locked, removed, free];
    const ask = () => all.map(({ allowance }) => ({ allowance: allowance(), needs: [USD], spare: 50 * USD }));
    const asked = ask();
    for (const { allowance } of asked) await insertLease(control, allowance.instanceId);
    const inOne = asked.map(({ allowance, ...rest }) => ({
      allowance: Object.assign(allowance, { instanceId: at(asked, 0).allowance.instanceId }),
      ...rest,
    }));
    const atFirst = await acquireMany(...inOne);
    // Both share an eighth of what the budget has left.
    const share = USD + (78 * USD) / 16;
    const grantedIn = ({ answers }: typeof atFirst) =>
      inOne.map(({ allowance }) => answers[allowance.id]?.granted);
    expect(grantedIn(atFirst)).toEqual([
      String(share),
      String(share),
      undefined,
      String(USD + (49 * USD) / 8),
      expect.anything(),
      expect.anything(),
    ]);
    await control.query('BEGIN');
    await control.sql`SELECT FROM budget_windows WHERE id = ${locked.window} FOR UPDATE`;
    const again = await acquireMany(...inOne.slice(0, 5));
    await control.query('COMMIT');
    const more = USD + Math.floor((78 * USD - 2 * share) / 16);
    expect(grantedIn(again).slice(0, 4)).toEqual([
      String(share + more),
      String(share + more),
      undefined,
      undefined,
    ]);
    expect(Number(grantedIn(again)[4])).toBeGreaterThan(USD);
    expect(await windowOf(control, first.window)).toEqual({ held: 2 * (share + more), spent: 0 });
  });

  it('is refused when it names a budget in a wrong form', async () => {
    const { accountId } = await newPayer(control, '1.00');
    for (const budgets of [['bud_x'], [''], ['bud_x/'], Array(65).fill('bud_x/total')]) {
      const allowance = new TestAllowance(control, accountId, undefined, budgets);
      await expectRefusal(allowance.acquire({ needs: [1] }), GrpcStatus.INVALID_ARGUMENT);
    }
  });
});

describe('the cost of a request', () => {
  it('counts as spent instead of held, never beyond a budget: the rest is uncollected and blocks no pool', async () => {
    const { allowance, pool, settle, window } = await payerWithin(
      await addBudget(control, { limit: 5 * USD }),
    );
    const one = allowance();
    await one.acquire({ needs: [2 * USD] });
    expect(await settle(USD, one.id)).toEqual({ charged: USD, uncollected: 0 });
    expect(await windowOf(control, window)).toEqual({ held: USD, spent: USD });
    // From its allowance, and then from what is left of the budget.
    expect(await settle(2 * USD, one.id)).toEqual({ charged: 2 * USD, uncollected: 0 });
    const other = allowance();
    await other.acquire({ needs: [USD] });
    expect(await settle(4 * USD, one.id)).toEqual({ charged: USD, uncollected: 3 * USD });
    expect(await windowOf(control, window)).toEqual({ held: USD, spent: 4 * USD });
    expect(await settle(2 * USD, other.id)).toEqual({ charged: USD, uncollected: USD });
    expect(await windowOf(control, window)).toEqual({ held: 0, spent: 5 * USD });
    const [row] = await control.sql`SELECT uncollected FROM pools WHERE id = ${pool}`;
    expect(row?.uncollected).toBe('0');
  });

  it('counts once, and the difference of a corrected report counts in the same windows', async () => {
    const { allowance, accountId, settle, window, windows } = await payerWithin(
      await addBudget(control, { limit: 5 * USD }),
    );
    const [gone, dearer] = [allowance(), allowance()];
    await gone.acquire({ needs: [3 * USD] });
    const [cheap, dear] = [`req_${randomUUID()}`, `req_${randomUUID()}`];
    await new SettlementStore(control.prisma).checkpoint(
      [cheap, dear].map((requestId) =>
        usage({ accountId, requestId, cost: USD, allowanceId: gone.id, budgets: windows }),
      ),
    );
    await loseDataPlane(control, gone.instanceId);
    await new AllowanceStore(control.prisma).closeExpired(gone.id);
    expect(await windowOf(control, window)).toEqual({ held: 0, spent: 2 * USD });
    for (const _ of [1, 2]) {
      expect(await settle(USD / 4, gone.id, cheap)).toEqual({ charged: USD / 4, uncollected: 0 });
    }
    expect(await windowOf(control, window)).toEqual({ held: 0, spent: 1.25 * USD });
    await dearer.acquire({ needs: [USD] });
    expect(await settle(9 * USD, gone.id, dear)).toEqual({ charged: 3.75 * USD, uncollected: 5.25 * USD });
    expect(await windowOf(control, window)).toEqual({ held: USD, spent: 4 * USD });
  });

  it('counts in its budgets when an earlier release settles it, too', async () => {
    const { allowance, accountId, window, windows } = await payerWithin(
      await addBudget(control, { limit: 5 * USD }),
    );
    const one = allowance();
    await one.acquire({ needs: [2 * USD] });
    const requestId = `req_${randomUUID()}`;
    await control.sql`SELECT settle_records(
      ARRAY[${requestId}], ARRAY[${one.id}], ARRAY['{account:' || ${accountId} || '}'], ARRAY[${accountId}],
      ARRAY[null], ARRAY[null], ARRAY['key'], ARRAY['sim/chat-pro'], ARRAY['chat'], ARRAY[1],
      array_fill(0::bigint, ARRAY[16]), ARRAY[null::jsonb], ARRAY['provider'], ARRAY['completed'], ARRAY[0::bigint],
      ARRAY[${USD}::bigint], ARRAY['[]'::jsonb], ARRAY[now()], ARRAY[200], ARRAY[null], false)`;
    expect(await windowOf(control, window)).toEqual({ held: USD, spent: USD });
    const [row] = await control.sql`SELECT budgets FROM usage_records WHERE request_id = ${requestId}`;
    expect(row?.budgets).toEqual(windows);
  });
});

it('an open allowance stays within its budgets when a control plane of the previous release grants more', async () => {
  const { accountId, allowance, window } = await payerWithin(await addBudget(control, { limit: 5 * USD }));
  const [one, without] = [allowance(), new TestAllowance(control, accountId)];
  for (const each of [one, without]) await each.acquire({ needs: [USD], spare: USD / 100 });
  const held = async () => (await windowOf(control, window))?.held;
  const before = await held();
  // These pass no budgets.
  const [granted] = await control.sql`SELECT covered FROM acquire_allowance(
    ${one.id}, ${one.instanceId}, ARRAY['account:' || ${accountId}], ARRAY[${USD}::bigint], 0)`;
  expect(granted?.covered).toBe(1);
  expect(await held()).toBe(Number(before) + USD);
  const rows = await control.sql`SELECT FROM acquire_allowances(
    ${one.instanceId}, ARRAY[${one.id}], ARRAY['{account:' || ${accountId} || '}'], ARRAY[${USD}::bigint],
    ARRAY[${USD}::bigint], ARRAY[0::bigint])`;
  expect(rows).toEqual([]);
  await one.returnUnused({ close: true });
  expect(await held()).toBe(0);
  // Nor does money count there that was granted without.
  const other = Object.assign(allowance(), { id: without.id, instanceId: without.instanceId });
  await other.acquire({ needs: [USD] });
  expect(await held()).toBe(0);
});

describe('the limit of a budget', () => {
  const setLimit = (budget: string, columns: string) =>
    control.query(`UPDATE budgets SET ${columns} WHERE id = $1`, [budget]);

  it('counts at once when it is raised, for a time or for good, and not at all when it is removed', async () => {
    const budget = await addBudget(control, { limit: USD });
    const { allowance } = await payerWithin(budget);
    const covered = async (need: number) => (await allowance().acquire({ needs: [need] })).covered;
    expect([await covered(USD), await covered(USD)]).toEqual([1, 0]);
    await setLimit(budget, `temporary_limit = ${2 * USD}, temporary_until = now() + interval '1 hour'`);
    expect([await covered(USD), await covered(USD)]).toEqual([1, 0]);
    await setLimit(budget, `temporary_until = now()`);
    expect(await covered(1)).toBe(0);
    await setLimit(budget, `"limit" = ${3 * USD}`);
    expect([await covered(USD), await covered(USD)]).toEqual([1, 0]);
    await control.sql`DELETE FROM budgets WHERE id = ${budget}`;
    expect(await covered(50 * USD)).toBe(1);
  });

  it('recalls spare money when it is lowered; what requests have reserved is charged to the end', async () => {
    const budget = await addBudget(control, { limit: 9 * USD });
    const { allowance, settle, window } = await payerWithin(budget);
    const watch = await control.dataPlane();
    const holder = allowance(watch.instanceId);
    await holder.acquire({ needs: [USD], spare: 50 * USD });
    await setLimit(budget, `"limit" = ${USD / 2}`);
    const recall = await holder.waitForRecall(watch);
    await holder.returnUnused({ returned: USD, recall });
    expect(await allowance().acquire({ needs: [1] })).toMatchObject({
      covered: 0,
      shortBudget: { limit: String(USD / 2), remaining: '0', held: String(USD) },
    });
    expect(await settle(1.5 * USD, holder.id)).toEqual({ charged: USD, uncollected: USD / 2 });
    expect(await windowOf(control, window)).toEqual({ held: 0, spent: USD });
  });

  it('never blocks when the budget only warns', async () => {
    const { allowance, settle, window } = await payerWithin(
      await addBudget(control, { limit: USD, warns: true }),
    );
    const one = allowance();
    expect(await one.acquire({ needs: [USD, USD, USD] })).toMatchObject({ covered: 3 });
    expect(await settle(4 * USD, one.id)).toEqual({ charged: 4 * USD, uncollected: 0 });
    expect(await windowOf(control, window)).toEqual({ held: 0, spent: 4 * USD });
    // Then it does not even keep others from spare money.
    expect(await allowance().acquire({ needs: [USD], spare: USD })).toMatchObject({ exact: false });
  });

  it('is logged once per window when it is exceeded', async () => {
    const budgets = [
      await addBudget(control, { limit: USD, warns: true }),
      await addBudget(control, { limit: 2 * USD }),
    ];
    const { allowance } = await payerWithin(...budgets);
    const logged = () =>
      budgets.map(
        (budget) => control.logText().split(`"budget_id":"${budget}","window":"2026-11"`).length - 1,
      );
    await allowance().acquire({ needs: [USD] });
    expect(logged()).toEqual([0, 0]);
    await allowance().acquire({ needs: [USD] });
    expect(logged()).toEqual([1, 0]);
    for (const _ of [1, 2]) await allowance().acquire({ needs: [USD] });
    expect(logged()).toEqual([1, 1]);
  });
});
