import { expect } from 'vitest';
import { type ControlPlanes, it } from '../fixtures/control-planes-fixture.ts';
import { hold, poolsOf, settle } from '../fixtures/pools-fixture.ts';

const USD = 1_000_000_000;
const DAY_MS = 86_400_000;

/** Creates pools of 5.00 and 1.00 USD and three requests: paid by an allowance, by both pools, and free. */
async function createLedger(control: ControlPlanes): Promise<{ pool: string }> {
  // All in one minute, yesterday noon.
  const endedAt = new Date((Math.floor(Date.now() / DAY_MS) - 0.5) * DAY_MS).toISOString();
  const pools = poolsOf(control);
  const { id: pool } = await pools.add({ kind: 'account', id: 'acct_test' }, { resets: 'monthly' });
  await pools.add({ kind: 'account', id: 'acct_test' }, { includedUsd: '1.00' });
  await hold(control, 'allowance_open', 2 * USD);
  await hold(control, 'allowance_ended', USD / 2);
  await settle(control, [{ requestId: 'req_held', cost: USD, allowanceId: 'allowance_open', endedAt }]);
  await control.query(`SELECT return_allowance('allowance_open', ${USD / 4}, 0, false)`);
  await settle(control, [
    { requestId: 'req_free', cost: 0, endedAt, tags: { project: 'alpha' }, session: 's1' },
    { requestId: 'req_much', cost: 7 * USD, endedAt },
  ]);
  await control.query(`SELECT return_allowance('allowance_ended', ${USD / 2}, 0, true)`);
  return { pool };
}

it('verify-ledger finds nothing wrong after the SQL functions that move money', async ({ control }) => {
  await createLedger(control);
  expect(await poolsOf(control).verify()).toEqual({
    pools: '2',
    usageRecords: '3',
    ledgerEntries: '5',
    disagreements: [],
  });
  const records =
    await control.sql`SELECT request_id, charged, uncollected FROM usage_records ORDER BY request_id`;
  expect(records).toEqual([
    { request_id: 'req_free', charged: '0', uncollected: '0' },
    { request_id: 'req_held', charged: '1000000000', uncollected: '0' },
    { request_id: 'req_much', charged: '3750000000', uncollected: '3250000000' },
  ]);
});

const withoutChecks = 'ALTER TABLE pools DROP CONSTRAINT pools_add_up;';
const withoutRecordChecks = 'ALTER TABLE usage_records DROP CONSTRAINT usage_records_add_up;';
const record = { kind: 'usage_record', id: 'req_held' };
const settlement = { kind: 'settlement', id: expect.stringMatching(/^\d+ pool_/) };
const SETTLEMENT = `(SELECT settlement FROM usage_records WHERE request_id = 'req_held')`;
const rollup = (name: string) => ({
  kind: 'usage_rollup',
  id: expect.stringMatching(new RegExp(`^${name} \\d{4}-.*Z acct_test (key_test )?sim/chat-pro$`)),
});

const label = (named: string) => ({
  kind: 'usage_rollup',
  id: expect.stringMatching(new RegExp(`^day of a label \\d{4}-.*Z acct_test ${named} sim/chat-pro$`)),
});

it.for<{ wrong: string; sql: string; found: { kind?: string; id?: unknown; problem: RegExp }[] }>([
  {
    wrong: 'a pool that includes more than it has, holds and charged',
    sql: `${withoutChecks} UPDATE pools SET included = included + 1 WHERE id = $pool`,
    found: [{ problem: /^included 5000000001, .* do not add up/ }],
  },
  {
    wrong: 'a pool with less than nothing',
    sql: `${withoutChecks} UPDATE pools SET remaining = -1, included = held + charged - 1 WHERE id = $pool`,
    found: [{ problem: /remaining -1, .* negative/ }, { problem: /but its ledger entries sum to/ }],
  },
  {
    wrong: 'a pool that its ledger does not explain',
    sql: `UPDATE ledger_entries SET amount = amount + 1 WHERE kind = 'included' AND pool_id = $pool`,
    found: [{ problem: /^remaining and held are \d+, but its ledger entries sum to \d+$/ }],
  },
  {
    wrong: 'a pool that holds money for nobody',
    sql: 'UPDATE pools SET held = held + 1, charged = charged - 1, included = included WHERE id = $pool',
    found: [{ problem: /ledger entries sum/ }, { problem: /^held \d+, but allowances hold \d+ of it$/ }],
  },
  {
    wrong: 'an allowance with more than it was granted',
    sql: `UPDATE allowances SET granted = granted - 2000000000 WHERE id = 'allowance_open'`,
    found: [
      {
        kind: 'allowance',
        id: 'allowance_open',
        problem: /^holds 750000000, but was granted 0 and gave back 250000000$/,
      },
    ],
  },
  {
    wrong: 'an allowance that has ended with money in it',
    sql: `UPDATE allowances SET closed_at = now() WHERE id = 'allowance_open'`,
    found: [{ kind: 'allowance', id: 'allowance_open', problem: /^ended, but holds 750000000$/ }],
  },
  {
    wrong: 'a budget that holds money for nobody',
    sql: `INSERT INTO budget_windows (id, budget_id, held) VALUES ('bud_1/2026-11', 'bud_1', 7)`,
    found: [{ kind: 'budget', id: 'bud_1/2026-11', problem: /^held 7, but allowances hold 0 within it$/ }],
  },
  {
    wrong: 'an allowance whose money no budget counts',
    sql: `UPDATE allowances SET budgets = '{bud_1/total}' WHERE id = 'allowance_open'`,
    found: [
      { kind: 'budget', id: 'bud_1/total', problem: /^held 0, but allowances hold 750000000 within it$/ },
    ],
  },
  {
    wrong: 'a budget that has spent something else than its requests',
    sql: `INSERT INTO budget_windows (id, budget_id, spent) VALUES ('bud_1/2026-11', 'bud_1', 7);
      UPDATE usage_records SET budgets = '{bud_1/2026-11}' WHERE request_id = 'req_held'`,
    found: [
      {
        kind: 'budget',
        id: 'bud_1/2026-11',
        problem: /^spent 7, but its usage records sum to 1000000000$/,
      },
    ],
  },
  {
    wrong: 'a charge without an entry',
    sql: `DELETE FROM ledger_entries WHERE settlement = ${SETTLEMENT}`,
    found: [
      { problem: /its ledger entries sum to/ },
      { ...settlement, problem: /^charged 0 in the ledger, but its usage records sum to 1000000000$/ },
    ],
  },
  {
    wrong: 'an entry without a usage record',
    sql: `DELETE FROM usage_records WHERE request_id = 'req_held'`,
    found: [
      { ...settlement, problem: /^charged 1000000000 in the ledger, but its usage records sum to 0$/ },
      {
        ...rollup('day'),
        problem:
          /^requests 3, but usage records sum to 2; .*charged 4750000000, but usage records sum to 3750000000; provider_cost 8000000000, /,
      },
    ],
  },
  {
    wrong: 'a cost that is neither charged nor uncollected',
    sql: `${withoutRecordChecks} UPDATE usage_records SET cost = cost + 1 WHERE request_id = 'req_held'`,
    found: [{ ...record, problem: /^cost 1000000001, charged 1000000000, uncollected 0, .* do not add up/ }],
  },
  {
    wrong: 'a request that was charged less than its record says',
    sql: `UPDATE usage_records SET cost = cost + 1, charged = charged + 1 WHERE request_id = 'req_held'`,
    found: [
      {
        ...settlement,
        problem: /^charged 1000000000 in the ledger, but its usage records sum to 1000000001$/,
      },
      { ...rollup('day'), problem: /^charged 4750000000, but usage records sum to 4750000001$/ },
    ],
  },
  {
    wrong: 'sums with another cost at the provider than the records have',
    sql: `UPDATE usage_records SET provider_cost = 500000000, attempts_cost = 1 WHERE request_id = 'req_held'`,
    found: [{ ...rollup('day'), problem: /^provider_cost 8000000000, but usage records sum to 7500000001$/ }],
  },
  {
    wrong: 'an hour with another cost at the provider than its minutes',
    sql: 'UPDATE usage_rollups SET provider_cost = 7 WHERE width = 60',
    found: [{ ...rollup('hour'), problem: /^provider_cost 8000000000, but minutes sum to 7$/ }],
  },
  {
    wrong: 'a record with a cost at the provider below 0',
    sql: `UPDATE usage_records SET provider_cost = -1, attempts_cost = 1000000001 WHERE request_id = 'req_held'`,
    found: [{ ...record, problem: /cost at the provider -1, .* negative$/ }],
  },
  {
    wrong: 'sums by label that the records do not explain',
    sql: `UPDATE usage_label_days SET requests = 2 WHERE label = 'tag:project'; DELETE FROM usage_label_days WHERE label = 'session'`,
    found: [
      { ...label('session '), problem: /^requests 0, but usage records sum to 1; / },
      { ...label('tag:project alpha'), problem: /^requests 2, but usage records sum to 1$/ },
    ],
  },
  {
    wrong: 'a charge that no pool has paid',
    sql: `UPDATE usage_records SET pool_id = NULL WHERE request_id = 'req_held'`,
    found: [
      { ...record, problem: /^charged 1000000000, but names the payers of 0$/ },
      { ...settlement, problem: /^charged 1000000000 in the ledger, but its usage records sum to 0$/ },
    ],
  },
  {
    wrong: 'a checkpoint of a settled request that nobody has deleted',
    sql: `INSERT INTO usage_checkpoints (
        request_id, allowance_id, payer, account_id, key_id, model_id, capability, units, billing_reason, held,
        cost, attempts, ended_at, updated_at
      ) VALUES (
        'req_held', 'allowance_open', '{account:acct_test}', 'acct_test', 'key_test', 'sim/chat', 'chat', '{}',
        'completed', 0, 0, '[]', now(), now() - interval '6 minutes'
      )`,
    found: [{ kind: 'usage_checkpoint', id: 'req_held', problem: /^the request is settled already$/ }],
  },
  {
    wrong: 'an unlimited pool whose charges the ledger does not explain',
    sql: `INSERT INTO pools (id, name, owner, included, remaining, charged, unlimited)
      VALUES ('pool_unlimited', 'x', 'account:acct_test', 0, 0, 5, true)`,
    found: [
      {
        kind: 'pool',
        id: 'pool_unlimited',
        problem: /^unlimited, and charged 5, but its ledger entries sum to 0$/,
      },
    ],
  },
  {
    wrong: 'a day that is not the sum of its records and hours',
    sql: 'UPDATE usage_rollups SET input_tokens = 31 WHERE width = 86400',
    found: [
      { ...rollup('day'), problem: /^input_tokens 31, but usage records sum to 30$/ },
      { ...rollup('day'), problem: /^input_tokens 31, but hours sum to 30$/ },
      { ...rollup('day of all keys'), problem: /^input_tokens 30, but those of each key sum to 31$/ },
    ],
  },
  {
    wrong: 'a day without hours',
    sql: 'DELETE FROM usage_rollups WHERE width = 3600',
    found: [
      { ...rollup('day'), problem: /^requests 3, but hours sum to 0; / },
      { ...rollup('hour'), problem: /^requests 0, but minutes sum to 3; / },
    ],
  },
  {
    wrong: 'an hour that is not the sum of its minutes',
    sql: `UPDATE usage_rollups SET charged = charged + 1 WHERE width = 60`,
    found: [{ ...rollup('hour'), problem: /^charged 4750000000, but minutes sum to 4750000001$/ }],
  },
])('verify-ledger names $wrong', async ({ sql, found }, { control }) => {
  const { pool } = await createLedger(control);
  await control.query(sql.replaceAll('$pool', `'${pool}'`));
  const { disagreements } = await poolsOf(control).verify();
  expect(disagreements).toEqual(
    found.map(({ problem, ...row }) => ({
      kind: 'pool',
      id: row.kind === undefined ? expect.stringMatching(/^pool_/) : pool,
      ...row,
      problem: expect.stringMatching(problem),
    })),
  );
});

it('verify-ledger reports at most a thousand disagreements', async ({ control }) => {
  await control.sql`INSERT INTO pools (id, name, owner, included, remaining)
     SELECT 'pool_' || n, 'x', 'account:acct_test', 1, 1 FROM generate_series(1, 1001) AS n`;
  const { pools, disagreements } = await poolsOf(control).verify();
  expect(pools).toBe('1001');
  expect(disagreements).toHaveLength(1_000);
});

it('verify-ledger finds nothing wrong while money moves', async ({ control }) => {
  const pools = poolsOf(control);
  await pools.add({ kind: 'account', id: 'acct_test' });
  let isOver = false;
  const traffic = async () => {
    for (let n = 0; !isOver; n++) await settle(control, [{ requestId: `req_${n}`, cost: 1_000 }]);
  };
  const running = traffic();
  for (let round = 0; round < 10; round++) expect((await pools.verify()).disagreements).toEqual([]);
  isOver = true;
  await running;
  const { usageRecords, ledgerEntries } = await pools.verify();
  expect(Number(usageRecords)).toBeGreaterThan(0);
  expect(Number(ledgerEntries)).toBe(Number(usageRecords) + 1);
});
