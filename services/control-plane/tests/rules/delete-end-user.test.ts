import type { SettledRecord } from '@model-gateway/database';
import { newRequestId } from '@model-gateway/shared';
import { budgetId, budgetWindowId, ruleOwner } from '@model-gateway/shared/rules';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Actor } from '../../src/actors/actor.ts';
import { EndUserDeletionStore } from '../../src/end-users/end-user-deletion-store.ts';
import { endUserAlias } from '../../src/end-users/end-user-resource.ts';
import { EndUserStore } from '../../src/end-users/end-user-store.ts';
import { newPayer, TestAllowance } from '../fixtures/allowances-fixture.ts';
import { windowOf } from '../fixtures/budgets-fixture.ts';
import { storeContents } from '../fixtures/contents-fixture.ts';
import { at, CALL_DEADLINE_MS, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { poolsOf } from '../fixtures/pools-fixture.ts';

const [HOUR, DAY, USD] = [3_600, 86_400, 1_000_000_000] as const;
const DAYS = 3;
const control = useControlPlanes();
const ACTOR: Actor = { type: 'operator_token', way: 'cli', ip: '127.0.0.1' };
/** Start of the first day, in Unix seconds. */
const START = Math.floor(Date.now() / 1_000 / DAY - DAYS + 1) * DAY;

const rollUp = () => control.query('SELECT roll_up_settlements(1000)');
async function settle(rows: readonly SettledRecord[], isProvisional = false): Promise<void> {
  if (rows.length === 0) return;
  // As the caller of a provisional settlement does.
  if (isProvisional) await control.sql`SELECT lock_budgets(${rows.flatMap(({ budgets = [] }) => budgets)})`;
  await settleRows(control.query, rows, isProvisional);
}
const remove = (accountId: string, endUser: string) =>
  new EndUserDeletionStore(control.prisma).delete(ACTOR, { accountId, endUser });

/** Window of the account's budget for each of its end users. */
function windowFor(accountId: string, endUser: string): string {
  return budgetWindowId(budgetId(ruleOwner('end_users', accountId), 'total', 0), 'total', endUser);
}

async function expectLedgerAgrees() {
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
}

/** Returns the sums of each group as text, so that they compare as a whole. */
async function usageBy(accountId: string, ...groupBy: string[]): Promise<Map<string, number[]>> {
  const { buckets } = await at(control.callers, 0).call(CALL_DEADLINE_MS, 'billing', 'getUsage', {
    owner: { accountId },
    startTime: START,
    endTime: START + DAYS * DAY,
    bucketWidth: DAY,
    groupBy,
    limit: 366,
  });
  return new Map(
    buckets.flatMap(({ groups, startTime }) =>
      groups.map(({ labels, model, sums }): [string, number[]] => [
        JSON.stringify([startTime, model, labels.map(({ value }) => value ?? null)]),
        [Number(sums?.requests), Number(sums?.units?.inputTokens), Number(sums?.cost)],
      ]),
    ),
  );
}

/** Returns the tables with a row that contains the text. */
async function tablesWith(text: string): Promise<unknown[]> {
  const tables = await control.sql`
    SELECT c.oid::regclass::text AS name FROM pg_class c
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace`;
  const found: unknown[] = [];
  for (const { name } of tables) {
    const rows = await control.query(`SELECT FROM ${name} t WHERE t::text LIKE '%' || $1 || '%'`, [text]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

const changes = fc.record({
  age: fc.integer({ min: 0, max: DAYS * DAY - 1 }),
  user: fc.constantFrom('anna', 'anna', 'ben', undefined),
  project: fc.constantFrom('alpha', 'beta', undefined),
  session: fc.constantFrom('s1', undefined),
  tokens: fc.integer({ min: 0, max: 1_000 }),
  cost: fc.integer({ min: 0, max: 1_000 }),
  /** When it is settled: before the first sums, before or after the deletion; provisionally first. */
  phase: fc.constantFrom('summed', 'pending', 'provisional'),
});

describe('the deletion of an end user', () => {
  it.each(['in the sums', 'not in the sums yet'])(
    'deletes the contents of its requests, %s',
    async (when) => {
      const { accountId } = await newPayer(control, '9.00');
      const ids = await Promise.all(
        ['anna', 'ben', undefined].map(async (endUser) => {
          const requestId = newRequestId(Date.now());
          await settle([usageRow({ requestId, accountId, endUser, endedAt: new Date().toISOString() })]);
          await storeContents(control, accountId, requestId);
          return requestId;
        }),
      );
      if (when === 'in the sums') await rollUp();
      expect(await remove(accountId, 'anna')).toMatchObject({ requests: 1n });
      const left = await control.sql`
      SELECT request_id AS id FROM request_contents c JOIN contents_keys k ON k.id = c.key_id
      WHERE k.account_id = ${accountId}`;
      expect(left.map(({ id }) => id).sort()).toEqual(ids.slice(1).sort());
    },
  );

  it('leaves no trace of its id, and every sum but its own as it was', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(changes, { minLength: 1, maxLength: 25 }),
        fc.boolean(),
        async (given, sumsLate) => {
          const { accountId } = await newPayer(control, '9.00');
          const id = (user: string | undefined) => user && `${user}-${accountId}`;
          const anna = id('anna') ?? '';
          const rows = given.map(({ age, cost, project, session, tokens, user }) => {
            const endedAtMs = Math.min(Date.now(), (START + age) * 1_000);
            const endUser = id(user);
            return usageRow({
              requestId: newRequestId(endedAtMs),
              accountId,
              modelId: 'sim/chat-pro',
              inputTokens: tokens,
              cost: String(cost),
              endedAt: new Date(endedAtMs).toISOString(),
              endUser,
              session,
              ...(project === undefined ? {} : { tags: { project } }),
              ...(endUser === undefined ? {} : { budgets: ['bud_key/total', windowFor(accountId, endUser)] }),
            });
          });
          const inPhase = (phase: string) => rows.filter((_, index) => given[index]?.phase === phase);
          await settle(inPhase('summed'));
          if (!sumsLate) await settle(inPhase('provisional'), true);
          await rollUp();
          if (sumsLate) await settle(inPhase('provisional'), true);
          await settle(inPhase('pending'));
          const [byModel, byProject, bySession, byUser] = [
            await usageBy(accountId, 'model'),
            await usageBy(accountId, 'tag:project'),
            await usageBy(accountId, 'session'),
            await usageBy(accountId, 'end_user'),
          ];
          const spentByBen = await windowOf(control, windowFor(accountId, id('ben') ?? ''));
          const isKnown = given.some(({ user }) => user === 'anna');
          const deletion = await remove(accountId, anna);
          expect(deletion?.requests).toBe(
            isKnown ? BigInt(given.filter(({ user }) => user === 'anna').length) : undefined,
          );
          await expectLedgerAgrees();
          expect(await tablesWith(anna)).toEqual([]);
          expect(await windowOf(control, windowFor(accountId, id('ben') ?? ''))).toEqual(spentByBen);
          const expectSameSums = async () => {
            expect(await usageBy(accountId, 'model')).toEqual(byModel);
            expect(await usageBy(accountId, 'tag:project')).toEqual(byProject);
            expect(await usageBy(accountId, 'session')).toEqual(bySession);
            expect(await usageBy(accountId, 'end_user')).toEqual(withoutUser(byUser, anna));
          };
          await expectSameSums();
          await rollUp();
          await expectSameSums();
          await expectLedgerAgrees();
          // The final reports of requests that had not ended name it again.
          await settle(inPhase('provisional'));
          await rollUp();
          await expectLedgerAgrees();
        },
      ),
      { numRuns: 4 },
    );
  });

  it('removes it from the sum (other), too', async () => {
    const { accountId } = await newPayer(control, '9.00');
    const endedAt = new Date((START + HOUR) * 1_000).toISOString();
    const rows = Array.from({ length: 1_010 }, (_, index) =>
      usageRow({
        requestId: newRequestId((START + HOUR) * 1_000),
        accountId,
        inputTokens: index,
        endUser: `user_${String(index).padStart(5, '0')}`,
        endedAt,
      }),
    );
    for (let first = 0; first < rows.length; first += 300) await settle(rows.slice(first, first + 300));
    await rollUp();
    const before = await usageBy(accountId, 'end_user');
    const other = JSON.stringify([String(START), null, ['(other)']]);
    const [requests = 0, tokens = 0] = before.get(other) ?? [];
    expect(requests).toBe(10);
    await remove(accountId, 'user_01005');
    await remove(accountId, 'user_00005');
    const after = await usageBy(accountId, 'end_user');
    expect(after.get(other)).toEqual([requests - 1, tokens - 1_005, 0]);
    expect(after.get(JSON.stringify([String(START), null, [null]]))).toEqual([2, 1_010, 0]);
    expect(after.has(JSON.stringify([String(START), null, ['user_00005']]))).toBe(false);
    await expectLedgerAgrees();
  });

  it('waits for requests that hold money within its budgets, and deletes nothing before', async () => {
    const { accountId } = await newPayer(control, '9.00');
    const window = windowFor(accountId, 'anna');
    const allowance = new TestAllowance(control, accountId, undefined, [window]);
    await allowance.acquire({ needs: [USD] });
    const row = {
      accountId,
      cost: String(USD),
      allowanceId: allowance.id,
      budgets: [window],
      endUser: 'anna',
    };
    await new EndUserStore(control.prisma).create(ACTOR, { accountId, endUser: 'anna' }, 'crm-1');
    expect(await remove(accountId, 'anna')).toMatchObject({ requests: null });
    expect(await windowOf(control, window)).toEqual({ held: USD, spent: 0 });
    await settle([usageRow(row)]);
    expect(await remove(accountId, 'anna')).toMatchObject({ requests: 1n });
    expect(await windowOf(control, window)).toBeUndefined();
    await expectLedgerAgrees();
  });

  it('has an audit event without the id, and finds nothing the second time', async () => {
    const { accountId } = await newPayer(control, '9.00');
    const store = new EndUserStore(control.prisma);
    await store.create(ACTOR, { accountId, endUser: 'anna@example.com' }, 'crm-1');
    await store.setExternalId(ACTOR, { accountId, endUser: 'anna@example.com' }, 'crm-2');
    await remove(accountId, 'anna@example.com');
    expect(await remove(accountId, 'anna@example.com')).toBeNull();
    expect(await tablesWith('anna@example.com')).toEqual([]);
    const events = await control.sql`
      SELECT action, object_id AS id, before->>'external_id' AS before, after->>'external_id' AS after
      FROM audit_events WHERE object_type = 'end_user' AND account_id = ${accountId} ORDER BY position`;
    const id = endUserAlias(accountId, 'anna@example.com');
    expect(events).toEqual([
      { action: 'end_user.created', id, before: null, after: 'crm-1' },
      { action: 'end_user.updated', id, before: 'crm-1', after: 'crm-2' },
      { action: 'end_user.deleted', id, before: 'crm-2', after: null },
    ]);
  });
});

/** Adds the sums of an end user to those of requests without one. */
function withoutUser(sums: ReadonlyMap<string, number[]>, endUser: string): Map<string, number[]> {
  const merged = new Map<string, number[]>();
  for (const [group, counts] of sums) {
    const [startTime, model, [value]] = JSON.parse(group) as [string, string | null, [string | null]];
    const key = JSON.stringify([startTime, model, [value === endUser ? null : value]]);
    const others = merged.get(key) ?? [];
    merged.set(
      key,
      counts.map((count, index) => count + (others[index] ?? 0)),
    );
  }
  return merged;
}
