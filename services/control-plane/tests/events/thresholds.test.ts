import { randomUUID } from 'node:crypto';
import { until } from '@model-gateway/test-kit';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { describe, expect, it } from 'vitest';
import { reportThresholds } from '../../src/event-checks/report-thresholds.ts';
import { insertAccount } from '../fixtures/administration-fixture.ts';
import { newPayer, TestAllowance } from '../fixtures/allowances-fixture.ts';
import { addBudget } from '../fixtures/budgets-fixture.ts';
import { unknownHash, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { checksOf, eventsFor, subscribe } from '../fixtures/events-fixture.ts';

const USD = 1_000_000_000;
const TYPES = ['budget.threshold_reached', 'pool.threshold_reached'] as const;

const control = useControlPlanes({ count: 2 });
const checks = checksOf(control);

/** A payer with a pool and an endpoint of its account. */
async function subscribedPayer(includedUsd: string, resets?: string) {
  const { accountId, pool } = await newPayer(control, includedUsd, resets);
  const endpoint = await subscribe(control, TYPES, accountId);
  const spend = async (usd: number, budgets: string[] = []) => {
    const allowance = new TestAllowance(control, accountId, undefined, budgets);
    await allowance.acquire({ needs: [usd * USD] });
    const requestId = `req_${randomUUID()}`;
    const used = { accountId, requestId, allowanceId: allowance.id, budgets, cost: String(usd * USD) };
    await settleRows(control.query, [usageRow({ ...used, modelId: 'sim/chat-pro', priceVersion: 1 })]);
    await allowance.returnUnused({ close: true });
    return allowance;
  };
  const thresholds = async () => (await eventsFor(control, endpoint)).map(({ data }) => data.threshold);
  return { accountId, pool, endpoint, spend, thresholds };
}

describe('the thresholds of a pool', () => {
  it('are reported once each, in order, to the account that owns it', async () => {
    const { accountId, endpoint, pool, spend, thresholds } = await subscribedPayer('10.00');
    await spend(4.9);
    await checks.thresholds();
    expect(await thresholds()).toEqual([]);
    await spend(0.1);
    await checks.thresholds();
    expect(await thresholds()).toHaveLength(1);
    expect(await eventsFor(control, endpoint)).toMatchObject([
      {
        type: 'pool.threshold_reached',
        accountId,
        data: {
          account_id: accountId,
          pool_id: pool,
          ...{ scope: 'account', scope_id: accountId, scope_name: 'Payer' },
          ...{ threshold: 50, included_usd: '10.00', used_usd: '5.00', resets_at: null },
        },
      },
    ]);
    await spend(5);
    await checks.thresholds();
    expect(await thresholds()).toHaveLength(3);
    await checks.thresholds();
    expect(await thresholds()).toEqual([50, 80, 100]);
  });

  it('are reported anew after a reset', async () => {
    const { pool, spend, thresholds } = await subscribedPayer('10.00', 'monthly');
    await spend(8);
    await checks.thresholds();
    expect(await thresholds()).toHaveLength(2);
    await control.sql`UPDATE pools SET resets_at = now() WHERE id = ${pool}`;
    // The reported thresholds belong to the month before.
    await control.sql`
      UPDATE reported_states SET period = period - interval '1 month' WHERE kind = 'pool' AND id = ${pool}`;
    await until(async () => {
      const [row] = await control.sql`SELECT charged FROM pools WHERE id = ${pool}`;
      return Number(row?.charged) === 0;
    });
    await spend(6);
    await checks.thresholds();
    expect(await thresholds()).toHaveLength(3);
    expect(await thresholds()).toEqual([50, 80, 50]);
  });

  it('count for a new amount, and those that were reached before are not repeated', async () => {
    const { pool, spend, thresholds } = await subscribedPayer('10.00');
    await spend(10);
    await checks.thresholds();
    expect(await thresholds()).toHaveLength(3);
    await control.admin('pools', 'changePool', { poolId: pool, includedUsd: '20.00' });
    await spend(1);
    await checks.thresholds();
    expect(await thresholds()).toEqual([50, 80, 100]);
    await spend(5);
    await checks.thresholds();
    expect(await thresholds()).toHaveLength(4);
    expect(await thresholds()).toEqual([50, 80, 100, 80]);
  });

  it('count as used up when it refuses a request after 80 % was reported', async () => {
    const { accountId, spend, thresholds } = await subscribedPayer('10.00');
    // A request that is too large for it says nothing about what is left.
    await new TestAllowance(control, accountId).acquire({ needs: [11 * USD] });
    await spend(9);
    await checks.thresholds();
    expect(await thresholds()).toHaveLength(2);
    await checks.thresholds();
    expect(await thresholds()).toEqual([50, 80]);
    expect(await new TestAllowance(control, accountId).acquire({ needs: [2 * USD] })).toMatchObject({
      covered: 0,
    });
    await checks.thresholds();
    expect(await thresholds()).toHaveLength(3);
    expect(await thresholds()).toEqual([50, 80, 100]);
  });
});

describe('the thresholds of a budget', () => {
  it.each(['block', 'warn'] as const)('that shall %s are reported in each window', async (onExceed) => {
    const { accountId, endpoint, spend, thresholds } = await subscribedPayer('100.00');
    const budget = await addBudget(control, {
      limit: 10 * USD,
      warns: onExceed === 'warn',
      owner: `account:${accountId}`,
    });
    await spend(8, [`${budget}/2026-11`]);
    await checks.thresholds();
    expect(await thresholds()).toHaveLength(2);
    expect((await eventsFor(control, endpoint))[1]).toMatchObject({
      type: 'budget.threshold_reached',
      accountId,
      data: {
        budget_id: budget,
        ...{ scope: 'account', scope_id: accountId, window: 'month', on_exceed: onExceed },
        ...{ threshold: 80, limit_usd: '10.00', spent_usd: '8.00', resets_at: '2026-12-01T00:00:00.000Z' },
      },
    });
    await spend(5, [`${budget}/2026-12`]);
    await checks.thresholds();
    expect(await thresholds()).toHaveLength(3);
    await spend(2, [`${budget}/2026-11`]);
    await checks.thresholds();
    expect(await thresholds()).toHaveLength(4);
    await checks.thresholds();
    expect(await thresholds()).toEqual([50, 80, 50, 100]);
  });

  it('of a team, a seat, a key or an end user are reported to the account that owns it', async () => {
    const { accountId: holder } = await newPayer(control, '1.00');
    const { accountId, endpoint, spend } = await subscribedPayer('1000.00');
    const [team, seat, key] = [`team_${randomUUID()}`, `seat_${randomUUID()}`, `key_${randomUUID()}`];
    await control.sql`INSERT INTO teams (id, owner_account_id, name, requests_per_minute) VALUES (${team}, ${accountId}, 'Research', 60)`;
    await control.sql`INSERT INTO seats (id, team_id, account_id) VALUES (${seat}, ${team}, ${holder})`;
    await control.sql`INSERT INTO api_keys (id, account_id, name, lookup_hash, display_prefix)
      VALUES (${key}, ${accountId}, 'Batch', ${unknownHash()}, 'gw_live_')`;
    const owners = [
      `team:${team}`,
      `seat:${seat}`,
      `key:${key}`,
      `end_users:${accountId}`,
      `end_user:${accountId}/ada`,
    ];
    const windows = await Promise.all(
      owners.map(async (owner) => `${await addBudget(control, { limit: USD, owner })}/2026-11`),
    );
    await spend(0.5, [...windows.slice(0, 3), ...windows.slice(3).map((window) => `${window}/ada`)]);
    await checks.thresholds();
    const events = await eventsFor(control, endpoint);
    expect(events.map(({ data }) => `${data.scope} ${data.scope_id} ${data.scope_name}`).toSorted()).toEqual(
      [
        `team ${team} Research`,
        `seat ${seat} ${holder}@example.com in Research`,
        `key ${key} Batch`,
        'end_user ada ada',
        'end_user ada ada',
      ].toSorted(),
    );
  });

  it('is used up when it refuses, and one that warns when all is spent', async () => {
    const { accountId, spend, thresholds } = await subscribedPayer('100.00');
    const budget = await addBudget(control, { limit: 10 * USD, owner: `account:${accountId}` });
    const window = `${budget}/2026-11`;
    await new TestAllowance(control, accountId, undefined, [window]).acquire({ needs: [11 * USD] });
    await spend(9, [window]);
    await checks.thresholds();
    expect(await thresholds()).toHaveLength(2);
    await checks.thresholds();
    expect(await thresholds()).toEqual([50, 80]);
    await new TestAllowance(control, accountId, undefined, [window]).acquire({ needs: [2 * USD] });
    await checks.thresholds();
    expect(await thresholds()).toHaveLength(3);
  });
});

it('thresholds of many end users take few statements, so that the check ends in time', async () => {
  const accountId = await insertAccount(control, randomUUID());
  await subscribe(control, TYPES, accountId);
  const budget = await addBudget(control, { limit: USD, owner: `end_users:${accountId}` });
  let statements = 0;
  const events = await control.prisma.$transaction(async (transaction) => {
    // Nobody else sees these before they are reported.
    await transaction.$executeRaw`
      INSERT INTO budget_windows (id, budget_id, spent)
      SELECT ${budget}::text || '/2026-11/' || user_number, ${budget}, 900000000
      FROM generate_series(1, 1500) AS user_number`;
    await transaction.$executeRaw`
      INSERT INTO allowances (id, instance_id, payer, budgets, closed_at)
      SELECT ${accountId}, 'test', ARRAY['account:' || ${accountId}], array_agg(id), now()
      FROM budget_windows WHERE budget_id = ${budget}`;
    const counted = new Proxy(transaction, {
      get(target, name) {
        if (name === '$executeRaw') statements++;
        return Reflect.get(target, name);
      },
    });
    await reportThresholds(counted, new Date(), { sendsMail: false });
    return await transaction.event.findMany({ where: { accountId }, select: { data: true } });
  });
  expect(events).toHaveLength(2 * 1_500);
  expect(statements).toBeLessThan(10);
});
