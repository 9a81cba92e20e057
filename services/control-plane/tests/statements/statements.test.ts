import { GrpcStatus, type StatementMessage } from '@model-gateway/contracts';
import { settleRows, type UsageRowChanges, usageRow } from '@model-gateway/test-kit/usage-row';
import { beforeAll, describe, expect, it } from 'vitest';
import { administer, expectRefusal, insertAccount } from '../fixtures/administration-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { holderOf } from '../fixtures/holder-fixture.ts';
import { poolsOf } from '../fixtures/pools-fixture.ts';

const OWNER = 'acct_test';
const OWNER_EMAIL = 'test@example.com';
const NOW = new Date();
const THIS_MONTH = NOW.toISOString().slice(0, 7);
const LAST = new Date(Date.UTC(NOW.getUTCFullYear(), NOW.getUTCMonth() - 1));
const LAST_MONTH = LAST.toISOString().slice(0, 7);

const control = useControlPlanes();
let member: string;
let seat: { id: string; teamId: string };

const statement = (month = THIS_MONTH, account = OWNER_EMAIL) =>
  control.admin('pools', 'getStatement', { account, month });

let requests = 0;
async function settle(cost: number, more: UsageRowChanges = {}): Promise<void> {
  const requestId = `req_statement_${requests++}`;
  await settleRows(control.query, [usageRow({ requestId, cost: String(cost), modelId: 'sim/pro', ...more })]);
}

function totalOf(lines: readonly { amount: string }[]): bigint {
  return lines.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

/** Checks the equations that every statement satisfies. */
function expectToAddUp(given: StatementMessage): void {
  const { opening, credits, lapsed, spent, spentUnlimited, closing, models, keys, otherMonth } = given;
  const fromBalance = BigInt(spent) - BigInt(spentUnlimited);
  expect(BigInt(opening) + totalOf(credits) - BigInt(lapsed) - fromBalance).toBe(BigInt(closing));
  expect(totalOf(models)).toBe(totalOf(keys));
  expect(totalOf(models) + BigInt(otherMonth)).toBe(BigInt(spent));
}

/** Returns the sum of the ledger of the account's pools, and what the pools have left. */
async function ledger(): Promise<{ entries: string; left: string }> {
  const owned = `owner LIKE 'account:${OWNER}' OR owner LIKE 'team:%' OR owner LIKE 'seat:%'`;
  const [sums] = await control.query(`
    SELECT
      (SELECT sum(amount) FROM ledger_entries JOIN pools p ON p.id = pool_id WHERE ${owned})::text AS entries,
      (SELECT sum(remaining + held) FROM pools WHERE ${owned})::text AS left`);
  return { entries: String(sums?.entries), left: String(sums?.left) };
}

describe('a statement', () => {
  beforeAll(async () => {
    const admin = administer(control);
    member = await insertAccount(control, 'member');
    const team = await admin.createTeam();
    seat = { id: (await admin.addSeat(team.id, member)).id, teamId: team.id };
    const pools = poolsOf(control);
    const own = await pools.add({ kind: 'account', id: OWNER }, { includedUsd: '5' });
    await pools.add({ kind: 'team', id: team.id }, { includedUsd: '0.000000300' });
    await pools.add({ kind: 'seat', id: seat.id }, { includedUsd: '0.000000100' });
    const gone = await pools.add({ kind: 'account', id: OWNER }, { includedUsd: '2' });
    await control.admin('pools', 'changePool', { poolId: own.id, includedUsd: '6.000000001' });
    await control.admin('pools', 'removePool', { poolId: gone.id });
    for (const [id, accountId, seatId, name, digit] of [
      ['key_own', OWNER, null, 'Laptop', '1'],
      ['key_seat', member, seat.id, 'Secret', '2'],
    ] as const) {
      await control.sql`INSERT INTO api_keys (id, account_id, seat_id, name, lookup_hash, display_prefix)
        VALUES (${id}, ${accountId}, ${seatId}, ${name}, ${`v2:${digit.repeat(64)}`}, 'p')`;
    }
    await settle(1_234_567, { keyId: 'key_own' });
    await settle(7, { keyId: 'key_own', modelId: 'sim/small' });
    await settle(250, { keyId: 'key_seat', accountId: member, seatId: seat.id, teamId: seat.teamId });
    await settle(1, { keyId: 'key_playground_gone' });
    // The member pays this request, so it is not on the owner's statement.
    await pools.add({ kind: 'account', id: member }, { includedUsd: '1' });
    await settle(99, { keyId: 'key_members', accountId: member });
  });

  it('is exact to the nano-dollar, and equals the ledger', async () => {
    const given = await statement();
    expectToAddUp(given);
    expect(given).toMatchObject({ accountId: OWNER, email: OWNER_EMAIL, month: THIS_MONTH });
    expect(given).toMatchObject({ opening: '0', lapsed: '0', spent: '1234825', otherMonth: '0' });
    expect(given.credits).toEqual([
      { kind: 'changed', amount: '1000000001' },
      { kind: 'included', amount: '7000000400' },
      { kind: 'removed', amount: '-2000000000' },
    ]);
    const { entries, left } = await ledger();
    expect(given.closing).toBe(entries);
    expect(given.closing).toBe(left);
    expect((await poolsOf(control).verify()).disagreements).toEqual([]);
  });

  it('divides the spend by model, and by key or the seat of another account', async () => {
    const { models, keys } = await statement();
    expect(models.map(({ id, requests, amount }) => [id, requests, amount])).toEqual([
      ['sim/pro', '3', '1234818'],
      ['sim/small', '1', '7'],
    ]);
    expect(keys.map(({ id, name, teamName, amount }) => [id, name, teamName, amount])).toEqual([
      ['key_own', 'Laptop', undefined, '1234574'],
      [seat.id, expect.stringContaining('@'), expect.any(String), '250'],
      ['playground', 'Playground', undefined, '1'],
    ]);
    // The name of another account's key is theirs.
    expect(JSON.stringify(keys)).not.toContain('Secret');
  });

  it('contains what another account pays only for that account', async () => {
    const given = await holderOf(control, member).read('getHolderStatement', {
      accountId: member,
      month: THIS_MONTH,
    });
    expectToAddUp(given);
    expect(given).toMatchObject({ spent: '99', closing: '999999901' });
    expect(given.models).toMatchObject([{ id: 'sim/pro', requests: '1' }]);
  });

  it('is the same before and after the usage is summed up', async () => {
    const before = await statement();
    await control.query('SELECT roll_up_settlements(1000)');
    expect((await statement()).models).toEqual(before.models);
  });

  it('is refused for a future month, and for a text that is not a month', async () => {
    for (const month of ['', '2026-13', '11/2026', '2026-1', `${NOW.getUTCFullYear() + 1}-01`])
      await expectRefusal(statement(month), GrpcStatus.INVALID_ARGUMENT);
    await expectRefusal(statement(THIS_MONTH, 'nobody@example.com'), GrpcStatus.NOT_FOUND);
  });
});

it('a month opens with the closing balance of the last one, and late charges are shown separately', async () => {
  const account = await insertAccount(control, 'months');
  await poolsOf(control).add({ kind: 'account', id: account }, { includedUsd: '3' });
  const endOfLast = new Date(Date.UTC(NOW.getUTCFullYear(), NOW.getUTCMonth()) - 1);
  await settle(500, { accountId: account, endedAt: endOfLast.toISOString() });
  // Moves everything so far into the last month.
  await control.sql`UPDATE ledger_entries SET created_at = ${endOfLast}
    WHERE pool_id IN (SELECT id FROM pools WHERE owner = 'account:' || ${account})`;
  // This request ended in the last month, and is charged in the current one.
  await settle(40, { accountId: account, endedAt: endOfLast.toISOString() });
  await settle(3, { accountId: account });
  const [last, current] = [await statement(LAST_MONTH, account), await statement(THIS_MONTH, account)];
  for (const each of [last, current]) expectToAddUp(each);
  expect(last).toMatchObject({ opening: '0', spent: '500', closing: '2999999500', otherMonth: '-40' });
  expect(current).toMatchObject({
    opening: '2999999500',
    spent: '43',
    closing: '2999999457',
    otherMonth: '40',
  });
  expect(await statement('2020-01', account)).toMatchObject({ opening: '0', closing: '0', models: [] });
});
