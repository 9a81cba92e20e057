import { until } from '@model-gateway/test-kit';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { afterAll, expect, it } from 'vitest';
import { AccountEndStore } from '../../src/accounts/account-end-store.ts';
import { AllowanceStore } from '../../src/billing/allowance-store.ts';
import { OPERATOR } from '../fixtures/actors-fixture.ts';
import { administer, insertAccount } from '../fixtures/administration-fixture.ts';
import { newPayer, TestAllowance } from '../fixtures/allowances-fixture.ts';
import { addBudget, windowOf } from '../fixtures/budgets-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { poolsOf } from '../fixtures/pools-fixture.ts';

const USD = 1_000_000_000;

const control = useControlPlanes({ count: 1 });

afterAll(async () => {
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
});

it('windows are forgotten two months after their first use, except for totals and those that hold money', async () => {
  const budget = await addBudget(control, { limit: 9 * USD });
  const { accountId } = await newPayer(control, '9.00');
  const allowanceIn = (window: string) =>
    new TestAllowance(control, accountId, undefined, [`${budget}/${window}`]);
  const windows = ['2026-01', '2026-02', 'total', '2026-11'];
  for (const window of windows) {
    const allowance = allowanceIn(window);
    await allowance.acquire({ needs: [USD] });
    if (window !== '2026-02') await allowance.returnUnused({ close: true });
  }
  await control.sql`UPDATE budget_windows SET created_at = now() - interval '63 days'
    WHERE budget_id = ${budget} AND id <> ${`${budget}/2026-11`}`;
  await new AllowanceStore(control.prisma).prune();
  const left = await Promise.all(windows.map((window) => windowOf(control, `${budget}/${window}`)));
  expect(left.map((window) => window?.held)).toEqual([undefined, USD, 0, 0]);
  await until(async () => (await windowOf(control, `${budget}/2026-02`)) !== undefined);
});

it('windows in which nothing was spent are forgotten after a day, also totals', async () => {
  const budget = await addBudget(control, { limit: USD });
  const { accountId } = await newPayer(control, '9.00');
  const within = (window: string) => new TestAllowance(control, accountId, undefined, [window]);
  // As of callers that make up end users, whose requests are refused.
  const [refused, recent, held, spent] = ['refused', 'recent', 'held', 'spent'].map(
    (endUser) => `${budget}/total/${endUser}`,
  ) as [string, string, string, string];
  for (const window of [refused, recent]) await within(window).acquire({ needs: [2 * USD] });
  await within(held).acquire({ needs: [USD] });
  const one = within(spent);
  await one.acquire({ needs: [USD] });
  await settleRows(control.query, [
    usageRow({ accountId, cost: String(USD), allowanceId: one.id, budgets: [spent] }),
  ]);
  await control.sql`UPDATE budget_windows SET created_at = now() - interval '25 hours'
    WHERE budget_id = ${budget} AND id <> ${recent}`;
  await new AllowanceStore(control.prisma).prune();
  expect(await windowOf(control, refused)).toBeUndefined();
  for (const window of [recent, held, spent]) expect(await windowOf(control, window)).toBeDefined();
});

it('a window that is forgotten while its lock is awaited counts anew', async () => {
  const budget = await addBudget(control, { limit: USD });
  const { accountId } = await newPayer(control, '9.00');
  const window = `${budget}/total`;
  const within = () => new TestAllowance(control, accountId, undefined, [window]);
  await within().acquire({ needs: [2 * USD] });
  await control.query('BEGIN');
  await control.sql`DELETE FROM budget_windows WHERE id = ${window}`;
  const acquiring = within().acquire({ needs: [USD] });
  await until(async () => {
    const [row] = await control.sql`SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted`;
    return row?.waiting === 1;
  });
  await control.query('COMMIT');
  expect(await acquiring).toMatchObject({ covered: 1 });
  expect(await windowOf(control, window)).toEqual({ held: USD, spent: 0 });
});

it('what a purged account paid for is forgotten in budgets of accounts with seats in its teams', async () => {
  const admin = administer(control);
  const team = await admin.createTeam({ account: await insertAccount(control, 'owner') });
  await poolsOf(control).add({ kind: 'team', id: team.id }, { includedUsd: '9.00' });
  const member = await newPayer(control, '9.00');
  const { id: seatId } = await admin.addSeat(team.id, member.accountId);
  const key = await admin.createKey({ account: member.accountId, seatId });
  const window = `${await addBudget(control, { limit: 9 * USD, owner: `account:${member.accountId}` })}/total`;
  const usage = { accountId: member.accountId, cost: String(USD), budgets: [window] };
  await settleRows(control.query, [
    usageRow(usage),
    usageRow({ ...usage, keyId: key.id, seatId, teamId: team.id }),
  ]);
  expect(await windowOf(control, window)).toEqual({ held: 0, spent: 2 * USD });
  const ends = new AccountEndStore(control.prisma);
  await ends.suspend(OPERATOR, 'acct_owner');
  expect(await ends.purge(OPERATOR, 'acct_owner')).toBe(1n);
  expect(await windowOf(control, window)).toEqual({ held: 0, spent: USD });
});
