import { randomUUID } from 'node:crypto';
import { newRequestId } from '@model-gateway/shared';
import { simulatedCatalog } from '@model-gateway/test-kit';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newPayer, poolAmounts, TestAllowance } from '../fixtures/allowances-fixture.ts';
import { at, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { applyCatalog } from '../fixtures/holder-usage-fixture.ts';
import { poolsOf } from '../fixtures/pools-fixture.ts';
import { outcomeOf, Settlement, type TestRecord } from '../fixtures/settlement-fixture.ts';

const control = useControlPlanes({ count: 2 });
/** Price of an image. */
const IMAGE = 40_000_000n;

beforeAll(async () => {
  await applyCatalog(control, simulatedCatalog('http://127.0.0.1:9/v1'));
});
afterAll(async () => {
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
});

const rollUp = () => control.query('SELECT roll_up_settlements(1000)');

function report(accountId: string, images: number, more: Partial<TestRecord> = {}): TestRecord {
  return {
    ...outcomeOf('sim/image-pro'),
    requestId: newRequestId(),
    capability: 'images',
    owner: { accountId },
    priceVersion: 1,
    units: { images },
    usageSource: 'gateway',
    held: String(IMAGE),
    ...more,
  };
}

/** Charges an allowance's checkpoints provisionally, as if its data plane had fallen silent. */
async function fallSilent({ id }: TestAllowance): Promise<void> {
  await control.query(`UPDATE allowances SET used_at = now() - interval '1 min' WHERE id = $1`, [id]);
  await control.query(`UPDATE key_watchers SET lease_until = now() - interval '1 min'`);
  await control.query(`SELECT close_expired_allowance($1, '0 seconds')`, [id]);
}

async function provisional(accountId: string, images: number, more: Partial<TestRecord> = {}) {
  const allowance = new TestAllowance(control, accountId);
  await allowance.acquire({ needs: [Number(IMAGE)] });
  const running = report(accountId, images, {
    allowanceId: allowance.id,
    billingReason: 'aborted_partial',
    ...more,
  });
  const settlement = new Settlement(at(control.callers, 0));
  await settlement.checkpoint([running]);
  await fallSilent(allowance);
  settlement.end();
  return running;
}

async function settle(record: TestRecord, plane = 1): Promise<void> {
  const settlement = new Settlement(at(control.callers, plane));
  await settlement.settle([record]);
  settlement.end();
}

const recordOf = async ({ requestId }: TestRecord) =>
  await control.sql`
    SELECT images, cost, charged, uncollected, billing_reason, usage_source, is_provisional
    FROM usage_records WHERE request_id = ${requestId}`;
const summed = async (accountId: string) => {
  await rollUp();
  return await control.sql`
    SELECT sum(requests)::text AS requests, sum(images)::text AS images, sum(charged)::text AS charged
    FROM usage_rollups WHERE account_id = ${accountId} AND width = 60`;
};
const entriesOf = (pool: string) =>
  control.sql`SELECT kind, amount FROM ledger_entries WHERE pool_id = ${pool} AND kind <> 'included' ORDER BY id`;

it.each([
  ['less', 2, 3n * IMAGE],
  ['more', 9, -4n * IMAGE],
  ['nothing', 0, 5n * IMAGE],
])(
  'a final report that counts %s than the provisional record corrects the charge by one ledger entry',
  async (_name, images, correction) => {
    const { accountId, pool } = await newPayer(control, '5.00');
    const running = await provisional(accountId, 5);
    expect(await recordOf(running)).toMatchObject([{ charged: String(5n * IMAGE), is_provisional: true }]);
    await rollUp();
    const final = { ...running, units: { images }, billingReason: 'completed' };
    for (const plane of [0, 1]) await settle(final, plane);
    const charged = String(BigInt(images) * IMAGE);
    expect(await recordOf(running)).toEqual([
      {
        images: String(images),
        cost: charged,
        charged,
        uncollected: '0',
        billing_reason: 'completed',
        usage_source: 'gateway',
        is_provisional: false,
      },
    ]);
    expect(await poolAmounts(control, pool)).toMatchObject({ held: '0', charged });
    expect(await entriesOf(pool)).toEqual([
      { kind: 'charge', amount: String(-5n * IMAGE) },
      { kind: 'correction', amount: String(correction) },
    ]);
    expect(await summed(accountId)).toEqual([{ requests: '1', images: String(images), charged }]);
  },
);

it('a correction refunds the pools in the reverse of the charging order', async () => {
  const { accountId, pool } = await newPayer(control, '0.10');
  const { id: later } = await poolsOf(control).add(
    { kind: 'account', id: accountId },
    { includedUsd: '1.00', name: 'later' },
  );
  const running = await provisional(accountId, 5);
  expect(await poolAmounts(control, later)).toMatchObject({ charged: '100000000' });
  await settle({ ...running, units: { images: 1 } });
  expect(await poolAmounts(control, pool)).toMatchObject({ remaining: '60000000', charged: '40000000' });
  expect(await poolAmounts(control, later)).toMatchObject({ remaining: '1000000000', charged: '0' });
});

it('a correction refunds only what was collected', async () => {
  const { accountId, pool } = await newPayer(control, '0.20');
  const running = await provisional(accountId, 9);
  expect(await recordOf(running)).toMatchObject([{ charged: '200000000', uncollected: '160000000' }]);
  await settle({ ...running, units: { images: 3 } });
  expect(await recordOf(running)).toMatchObject([
    { cost: '120000000', charged: '120000000', uncollected: '0' },
  ]);
  expect(await poolAmounts(control, pool)).toMatchObject({ remaining: '80000000', charged: '120000000' });
});

it('a correction of a charge of last month refunds nothing to a pool that was reset since', async () => {
  const { accountId, pool } = await newPayer(control, '1.00', 'monthly');
  const running = await provisional(accountId, 5);
  await control.query(
    `UPDATE ledger_entries SET created_at = now() - interval '40 days' WHERE pool_id = $1`,
    [pool],
  );
  await control.query(`UPDATE pools SET resets_at = now() - interval '1 s' WHERE id = $1`, [pool]);
  await settle(report(accountId, 3));
  await settle({ ...running, units: { images: 1 } });
  expect(await recordOf(running)).toMatchObject([{ cost: String(IMAGE), charged: String(IMAGE) }]);
  expect(await poolAmounts(control, pool)).toMatchObject({
    included: '1000000000',
    charged: String(3n * IMAGE),
  });
});

it('a refund to a removed pool is taken out at once', async () => {
  const { accountId, pool } = await newPayer(control, '1.00');
  const running = await provisional(accountId, 5);
  await control.query('SELECT remove_pool($1)', [pool]);
  await settle({ ...running, units: { images: 1 } });
  expect(await poolAmounts(control, pool)).toEqual({
    included: String(IMAGE),
    remaining: '0',
    held: '0',
    charged: String(IMAGE),
  });
});

type Step = 'checkpoint' | 'silence' | 'handOver' | 'final' | 'rollUp';
const steps = fc.array(
  fc.record({
    step: fc.constantFrom<Step>(
      'checkpoint',
      'checkpoint',
      'silence',
      'silence',
      'handOver',
      'final',
      'rollUp',
    ),
    plane: fc.constantFrom(0, 1),
    images: fc.integer({ min: 0, max: 9 }),
  }),
  { maxLength: 8 },
);
const history = fc.record({ before: steps, after: steps, images: fc.integer({ min: 0, max: 9 }) });

it('a request is charged by its final report alone, however two data planes order and repeat its reports', async () => {
  let corrected = 0;
  await fc.assert(
    fc.asyncProperty(history, async ({ before, after, images }) => {
      const final = { step: 'final', plane: 0, images: 0 } as const;
      const { accountId, pool } = await newPayer(control, '1.00');
      const planes = [new Settlement(at(control.callers, 0)), new Settlement(at(control.callers, 1))];
      const base = report(accountId, images);
      const allowances: TestAllowance[] = [];
      const openAt = async (plane: number) => {
        const allowance = new TestAllowance(control, accountId, `${plane}-${randomUUID()}`);
        await control.query(
          `INSERT INTO key_watchers (instance_id, control_plane_id, acked_revision, lease_until)
           VALUES ($1, 'test', 0, now() + interval '1 hour')`,
          [allowance.instanceId],
        );
        await allowance.acquire({ needs: [Number(IMAGE)] }, plane);
        allowances.push(allowance);
        return allowance;
      };
      const held = [await openAt(0), await openAt(1)];
      for (const { step, plane, images: delivered } of [...before, final, ...after]) {
        const allowanceId = at(held, plane).id;
        const record = { ...base, allowanceId };
        const soFar = { ...record, units: { images: delivered }, followed: '{}' };
        if (step === 'checkpoint') await at(planes, plane).checkpoint([soFar]);
        if (step === 'handOver') await at(planes, plane).settle([soFar]);
        if (step === 'final') await at(planes, plane).settle([record]);
        if (step === 'rollUp') await rollUp();
        if (step === 'silence') await fallSilent(at(held, plane));
      }
      for (const allowance of allowances) await fallSilent(allowance);
      for (const plane of planes) plane.end();
      const charged = BigInt(images) * IMAGE;
      expect(await recordOf(base)).toMatchObject([
        { images: String(images), cost: String(charged), charged: String(charged), is_provisional: false },
      ]);
      expect(await poolAmounts(control, pool)).toMatchObject({
        remaining: String(1_000_000_000n - charged),
        held: '0',
        charged: String(charged),
      });
      expect(
        await control.sql`SELECT 1 FROM followed_responses WHERE request_id = ${base.requestId}`,
      ).toEqual([]);
      const entries = await entriesOf(pool);
      expect(entries.reduce((sum, { amount }) => sum + BigInt(String(amount)), 0n)).toBe(-charged);
      const corrections = entries.filter(({ kind }) => kind === 'correction');
      expect(corrections.length).toBeLessThanOrEqual(1);
      corrected += corrections.length;
      expect(await summed(accountId)).toEqual([
        { requests: '1', images: String(images), charged: String(charged) },
      ]);
    }),
    { numRuns: 60 },
  );
  expect(corrected).toBeGreaterThan(5);
});
