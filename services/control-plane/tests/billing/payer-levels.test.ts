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

/** Payer with a pool per level, last level's pool oldest. */
async function payerWithPools(kinds: readonly string[]): Promise<PayerLevel[]> {
  const payer = kinds.map((kind) => ({ kind, id: `"a, b" {${randomUUID()}}` }));
  for (const level of payer.toReversed()) {
    await control.query(
      `WITH pool AS (
         INSERT INTO pools (id, name, owner, included, remaining) VALUES ($1, 'Pool', $2, $3, $3) RETURNING id
       ) INSERT INTO ledger_entries (pool_id, kind, amount) SELECT id, 'included', $3 FROM pool`,
      [randomUUID(), encodeLevel(level), POOL],
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
