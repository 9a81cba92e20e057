import { randomUUID } from 'node:crypto';
import { encodeLevel, LEVEL_KINDS, type PayerLevel } from '@model-gateway/shared';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { at, CALL_DEADLINE_MS, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { insertLease, poolsOf } from '../fixtures/pools-fixture.ts';

const POOL = 100;
/** Known kinds, and some that this release does not know. */
const KINDS = [...LEVEL_KINDS, 'key', 'end_user'];

const control = useControlPlanes();

beforeAll(async () => {
  await insertLease(control, 'plane');
});
afterAll(async () => {
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
});

const POOL_SORTS = ['limited', 'limited', 'unlimited', 'expired'] as const;
type PoolSort = (typeof POOL_SORTS)[number];

/** Payer with a pool per level, last level's pool oldest. */
async function payerWithPools(
  kinds: readonly string[],
  sortOf: (place: number) => PoolSort = () => 'limited',
): Promise<PayerLevel[]> {
  const payer = kinds.map((kind) => ({ kind, id: `"a, b" {${randomUUID()}}` }));
  for (const [place, level] of [...payer.entries()].toReversed()) {
    const sort = sortOf(place);
    const included = sort === 'unlimited' ? 0 : POOL;
    await control.query(
      `WITH pool AS (
         INSERT INTO pools (id, name, owner, included, remaining, unlimited, expires_at)
         VALUES ($1, 'Pool', $2, $3, $3, $4, now() - CASE WHEN $5 THEN interval '1 second' END) RETURNING id
       ) INSERT INTO ledger_entries (pool_id, kind, amount) SELECT id, 'included', $3 FROM pool`,
      [randomUUID(), encodeLevel(level), included, sort === 'unlimited', sort === 'expired'],
    );
  }
  return payer;
}

async function columnOf(column: 'held' | 'charged', payer: readonly PayerLevel[]): Promise<number[]> {
  const rows = await control.query(`SELECT owner, ${column} AS amount FROM pools WHERE owner = ANY($1)`, [
    payer.map(encodeLevel),
  ]);
  const amounts = new Map(rows.map(({ owner, amount }) => [owner, Number(amount)]));
  return payer.map((level) => amounts.get(encodeLevel(level)) ?? 0);
}

/** Amounts taken from each level, in order. */
function inOrder(levels: number, amount: number): number[] {
  return Array.from({ length: levels }, (_, place) => Math.max(0, Math.min(POOL, amount - place * POOL)));
}

/** Returns the amount that each level pays, and the rest that none of them covers. */
function paidBy(sorts: readonly PoolSort[], amount: number): { paid: number[]; rest: number } {
  let rest = amount;
  const paid = sorts.map((sort) => {
    const paying = Math.min(rest, { limited: POOL, unlimited: rest, expired: 0 }[sort]);
    rest -= paying;
    return paying;
  });
  return { paid, rest };
}

it('levels with limited, unlimited and expired pools pay in order, and only the rest is uncollected', async () => {
  const sorts = fc.array(fc.constantFrom(...POOL_SORTS), { minLength: 1, maxLength: KINDS.length });
  await fc.assert(
    fc.asyncProperty(sorts, fc.integer({ min: 1, max: 600 }), fc.nat(600), async (given, need, more) => {
      const kinds = KINDS.slice(0, given.length);
      const payer = await payerWithPools(kinds, (place) => given[place] ?? 'limited');
      const allowanceId = randomUUID();
      const request = { allowanceId, instanceId: 'plane', payer, needs: [need] };
      const answer = await control.caller('billing', 'acquireAllowance', request);
      const isCovered = paidBy(given, need).rest === 0;
      expect(answer.covered).toBe(isCovered ? 1 : 0);
      const held = isCovered ? need : 0;
      expect(await columnOf('held', payer)).toEqual(paidBy(given, held).paid);

      const cost = need + more;
      const row = usageRow({ payer, priceVersion: 1, cost: String(cost), allowanceId });
      await settleRows(control.query, [row]);
      const { paid, rest } = paidBy(given, cost);
      expect(await columnOf('charged', payer)).toEqual(paid);
      const stored = await control.sql`
        SELECT charged, uncollected FROM usage_records WHERE request_id = ${row.requestId}`;
      expect(stored).toEqual([{ charged: String(cost - rest), uncollected: String(rest) }]);
    }),
    { numRuns: 40 },
  );
});

const kindsInAnyOrder = fc.shuffledSubarray(KINDS, { minLength: 1 });

it("a payer's levels are charged in list order, whatever their kinds, with and without an allowance", async () => {
  await fc.assert(
    fc.asyncProperty(
      kindsInAnyOrder,
      fc.nat(POOL * KINDS.length),
      fc.nat(POOL),
      async (kinds, need, more) => {
        const payer = await payerWithPools(kinds);
        const held = Math.min(need, POOL * kinds.length);
        const allowanceId = randomUUID();
        const billing = at(control.callers, 0);
        const answer = await billing.callOnce(CALL_DEADLINE_MS, 'billing', 'acquireAllowance', {
          allowanceId,
          instanceId: 'plane',
          payer,
          needs: held === 0 ? [] : [held],
        });
        expect(answer.covered).toBe(held === 0 ? 0 : 1);
        expect(await columnOf('held', payer)).toEqual(inOrder(kinds.length, held));

        const cost = Math.min(held + more, POOL * kinds.length);
        const row = { payer, priceVersion: 1, cost: String(cost) };
        await settleRows(control.query, [usageRow({ ...row, allowanceId })]);
        expect(await columnOf('charged', payer)).toEqual(inOrder(kinds.length, cost));
        expect(await columnOf('held', payer)).toEqual(kinds.map(() => 0));
      },
    ),
    { numRuns: 25 },
  );
});

it('payers of new kinds get money together with others', async () => {
  const payers = [await payerWithPools(KINDS), await payerWithPools(KINDS.toReversed())];
  const { answers } = await control.caller('billing', 'acquireAllowances', {
    allowances: payers.map((payer, place) => ({
      ...{ allowanceId: `together-${place}`, instanceId: 'plane', payer },
      ...{ needs: [10], spare: 5 },
    })),
  });
  expect(Object.values(answers).map(({ granted }) => granted)).toEqual(['15', '15']);
  for (const payer of payers) expect(await columnOf('held', payer)).toEqual(inOrder(KINDS.length, 15));
});

it('a payer has at least one level, each with kind and id', async () => {
  for (const payer of [[], [{ kind: '', id: 'a' }], [{ kind: 'seat', id: '' }], [{ kind: 'a:b', id: 'c' }]]) {
    const request = { allowanceId: 'none', instanceId: 'plane', payer, needs: [1] };
    await expect(control.caller('billing', 'acquireAllowance', request)).rejects.toThrow(
      /a payer with a kind and an id/,
    );
  }
});
