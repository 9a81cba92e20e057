import { randomUUID } from 'node:crypto';
import type { SettledRecord } from '@model-gateway/database';
import { CHARGES } from '@model-gateway/test-kit/charges';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';

const control = useControlPlanes({ count: 1 });

interface World {
  /** Balance of each pool, and what two allowances hold of it. */
  pools: { remaining: number; held: [number, number] }[];
  requests: { cost: number; allowance: 0 | 1 | undefined }[];
}

const world: fc.Arbitrary<World> = fc.record({
  pools: fc.array(
    fc.record({
      remaining: fc.integer({ min: 0, max: 60 }),
      held: fc.tuple(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 40 })),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  requests: fc.array(
    fc.record({
      cost: fc.integer({ min: 0, max: 30 }),
      allowance: fc.constantFrom(0 as const, 0 as const, 1 as const, undefined),
    }),
    { minLength: 1, maxLength: 8 },
  ),
});

it('a batch charges requests, pools and allowances as its records would one by one', async () => {
  let charged = 0;
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      const together = await settled(given, (records) => [records]);
      const apart = await settled(given, (records) => records.map((record) => [record]));
      expect(together).toEqual(apart);
      charged += together.requests.filter(({ charged }) => charged !== '0').length;
    }),
    { numRuns: 60 },
  );
  expect(charged).toBeGreaterThan(50);
});

/** Recreates pools and allowances, settles the batches, and returns the result by position. */
async function settled({ pools, requests }: World, batches: (records: SettledRecord[]) => SettledRecord[][]) {
  const id = randomUUID();
  const accountId = `acct_${id}`;
  const { query } = control;
  await query('INSERT INTO accounts (id, email, name) VALUES ($1, $2, $3)', [
    accountId,
    `${id}@example.com`,
    'P',
  ]);
  for (const allowance of [0, 1]) {
    await query('INSERT INTO allowances (id, instance_id, payer, granted) VALUES ($1, $2, $3, 1000)', [
      `${id}-${allowance}`,
      'instance',
      [`account:${accountId}`],
    ]);
  }
  for (const [place, { remaining, held }] of pools.entries()) {
    const all = held[0] + held[1];
    await query(
      `INSERT INTO pools (id, name, owner, included, remaining, held, charged) VALUES ($1, 'p', 'account:' || $2, $3, $4, $5, 0)`,
      [`${id}-${place}`, accountId, remaining + all, remaining, all],
    );
    for (const [allowance, part] of held.entries()) {
      await query('INSERT INTO allowance_parts (allowance_id, pool_id, held) VALUES ($1, $2, $3)', [
        `${id}-${allowance}`,
        `${id}-${place}`,
        part,
      ]);
    }
  }
  const records = requests.map(({ cost, allowance }, place) =>
    usageRow({
      requestId: `${id}-${place}`,
      accountId,
      cost: String(cost),
      priceVersion: 1,
      allowanceId: allowance === undefined ? null : `${id}-${allowance}`,
    }),
  );
  for (const batch of batches(records)) await settleRows(query, batch);
  const text = (column: string) => `substr(${column}, ${id.length + 2})`;
  return {
    pools: await query(
      `SELECT ${text('id')} AS pool, remaining::text, held::text, charged::text FROM pools WHERE owner = 'account:' || $1 ORDER BY id`,
      [accountId],
    ),
    parts: await query(
      `SELECT ${text('allowance_id')} AS allowance, ${text('pool_id')} AS pool, held::text FROM allowance_parts
       WHERE allowance_id LIKE $1 ORDER BY 1, 2`,
      [`${id}-%`],
    ),
    requests: await query(
      `SELECT ${text('request_id')} AS request, charged::text, uncollected::text FROM usage_records
       WHERE account_id = $1 ORDER BY request_id`,
      [accountId],
    ),
    charges: await query(
      `SELECT ${text('request_id')} AS request, ${text('pool_id')} AS pool, amount::text FROM ${CHARGES} AS paid
       WHERE request_id LIKE $1 ORDER BY 1, place`,
      [`${id}-%`],
    ),
    ledger: await query(
      `SELECT ${text('pool_id')} AS pool, sum(amount)::text AS amount FROM ledger_entries
       WHERE pool_id LIKE $1 GROUP BY 1 ORDER BY 1`,
      [`${id}-%`],
    ),
  };
}
