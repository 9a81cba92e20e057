import { randomUUID } from 'node:crypto';
import { GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { until, watchLag } from '@model-gateway/test-kit';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { afterAll, expect, it } from 'vitest';
import { SettlementStore } from '../../src/settlement/settlement-store.ts';
import { expectRefusal } from '../fixtures/administration-fixture.ts';
import { loseDataPlane, newPayer, poolAmounts, TestAllowance } from '../fixtures/allowances-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { poolsOf } from '../fixtures/pools-fixture.ts';

const USD = 1_000_000_000;

const control = useControlPlanes({ count: 2 });

afterAll(async () => {
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
});

async function settle(accountId: string, requestId: string, cost: number, allowanceId: string | null) {
  await settleRows(control.query, [usage(accountId, requestId, cost, allowanceId)]);
}

async function checkpoint(accountId: string, requestId: string, cost: number, allowanceId: string) {
  await new SettlementStore(control.prisma).checkpoint([usage(accountId, requestId, cost, allowanceId)]);
}

function usage(accountId: string, requestId: string, cost: number, allowanceId: string | null) {
  return usageRow({
    requestId,
    cost: String(cost),
    accountId,
    allowanceId,
    modelId: 'sim/chat-pro',
    priceVersion: 1,
    billingReason: 'aborted_partial',
  });
}

async function recordOf(requestId: string) {
  const [row] = await control.sql`
      SELECT cost, charged, uncollected, billing_reason FROM usage_records WHERE request_id = ${requestId}`;
  return row;
}

it('an allowance covers needs in order, and nobody else can have its money', async () => {
  const { accountId, pool } = await newPayer(control, '5.00');
  const one = new TestAllowance(control, accountId);
  expect(await one.acquire({ needs: [2 * USD, 2 * USD, 2 * USD, 1] })).toMatchObject({
    closed: false,
    covered: 2,
    granted: String(4 * USD),
    exact: true,
    available: String(USD),
    held: String(4 * USD),
  });
  expect(await poolAmounts(control, pool)).toMatchObject({ remaining: String(USD), held: String(4 * USD) });
  const other = new TestAllowance(control, accountId);
  expect(await other.acquire({ needs: [2 * USD] }, 1)).toMatchObject({
    covered: 0,
    granted: '0',
    available: String(USD),
    held: String(4 * USD),
  });
});

it('an allowance gets at most an eighth of what is left beyond the needs', async () => {
  const { accountId } = await newPayer(control, '9.00');
  const allowance = new TestAllowance(control, accountId);
  const answer = await allowance.acquire({ needs: [USD], spare: 100 * USD });
  expect(answer).toMatchObject({ covered: 1, granted: String(2 * USD), exact: false });
});

it('allowances never exceed the balance, however many are requested at once at two control planes', async () => {
  const { accountId, pool } = await newPayer(control, '1.00');
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      new TestAllowance(control, accountId).acquire({ needs: [USD / 10, USD / 10] }, index % 2),
    ),
  );
  const covered = answers.reduce((sum, answer) => sum + answer.covered, 0);
  expect(covered).toBe(10);
  expect(await poolAmounts(control, pool)).toMatchObject({ remaining: '0', held: String(USD) });
});

it('an allowance is refused for needs of 0, too many needs, missing ids or no payer', async () => {
  const { accountId } = await newPayer(control, '1.00');
  const allowance = new TestAllowance(control, accountId);
  await expectRefusal(allowance.acquire({ needs: [0] }), GrpcStatus.INVALID_ARGUMENT);
  const many = Array.from({ length: 1_001 }, () => 1);
  await expectRefusal(allowance.acquire({ needs: many }), GrpcStatus.INVALID_ARGUMENT);
  await expectRefusal(new TestAllowance(control, accountId, '').acquire(), GrpcStatus.INVALID_ARGUMENT);
  await expectRefusal(new TestAllowance(control, '').acquire(), GrpcStatus.INVALID_ARGUMENT);
});

it('returned money counts once, however often, in whatever order and wherever it is reported', async () => {
  const { accountId, pool } = await newPayer(control, '5.00');
  const allowance = new TestAllowance(control, accountId);
  await allowance.acquire({ needs: [3 * USD] });
  await Promise.all([2, 1, 2, 1, 2].map((n, at) => allowance.returnUnused({ returned: n * USD }, at % 2)));
  await allowance.returnUnused({ returned: USD });
  expect(await poolAmounts(control, pool)).toMatchObject({ remaining: String(4 * USD), held: String(USD) });
  expect(await allowance.stored()).toMatchObject({ granted: String(3 * USD), returned: String(2 * USD) });
});

it('returned money is available to the same call that requests more', async () => {
  const { accountId, pool } = await newPayer(control, '5.00');
  const allowance = new TestAllowance(control, accountId);
  await allowance.acquire({ needs: [4 * USD] });
  const again = { needs: [5 * USD], returned: 4 * USD };
  expect(await allowance.acquire(again)).toMatchObject({ covered: 1, granted: String(9 * USD) });
  expect(await poolAmounts(control, pool)).toMatchObject({ remaining: '0', held: String(5 * USD) });
});

it('a closed allowance returns everything, and gets nothing any more', async () => {
  const { accountId, pool } = await newPayer(control, '5.00');
  const allowance = new TestAllowance(control, accountId);
  await allowance.acquire({ needs: [3 * USD] });
  expect(await allowance.returnUnused({ close: true })).toMatchObject({ closed: true });
  expect(await allowance.returnUnused({ returned: 2 * USD, close: true })).toMatchObject({ closed: true });
  expect(await poolAmounts(control, pool)).toMatchObject({ remaining: String(5 * USD), held: '0' });
  expect(await allowance.acquire({ needs: [USD] })).toMatchObject({ closed: true, covered: 0 });
  expect(await poolAmounts(control, pool)).toMatchObject({ remaining: String(5 * USD), held: '0' });
});

it('an allowance never returns more than it has', async () => {
  const { accountId, pool } = await newPayer(control, '5.00');
  const [one, other] = [new TestAllowance(control, accountId), new TestAllowance(control, accountId)];
  await other.acquire({ needs: [USD] });
  await one.acquire({ needs: [USD] });
  await one.returnUnused({ returned: 100 * USD });
  expect(await poolAmounts(control, pool)).toMatchObject({ remaining: String(4 * USD), held: String(USD) });
});

/** One data plane holds 2 USD and may return half; 7 of 9 USD are left. */
async function holder(plane = 0) {
  const { accountId, pool } = await newPayer(control, '9.00');
  const watch = await control.dataPlane(plane);
  const allowance = new TestAllowance(control, accountId, watch.instanceId);
  await allowance.acquire({ needs: [USD], spare: 100 * USD });
  return { accountId, pool, watch, allowance };
}

it('unused money is recalled before a request for money is refused, also at another control plane', async () => {
  const { accountId, pool, watch, allowance } = await holder(1);
  const acquiring = new TestAllowance(control, accountId).acquire({ needs: [8 * USD] }, 0);
  const recall = await allowance.waitForRecall(watch);
  await allowance.returnUnused({ returned: USD, recall }, 1);
  expect(await acquiring).toMatchObject({ covered: 1, granted: String(8 * USD), exact: true });
  expect(await poolAmounts(control, pool)).toMatchObject({ remaining: '0', held: String(9 * USD) });
});

it('a refusal is final when other data planes use all their money, and nothing is recalled again', async () => {
  const { accountId, watch, allowance } = await holder();
  const acquiring = new TestAllowance(control, accountId).acquire({ needs: [8 * USD] });
  const recall = await allowance.waitForRecall(watch);
  await allowance.returnUnused({ recall });
  expect(await acquiring).toMatchObject({ covered: 0, available: String(7 * USD), held: String(2 * USD) });
  using lag = watchLag();
  const startedAtMs = performance.now();
  const again = new TestAllowance(control, accountId).acquire({ needs: [8 * USD] });
  expect(await again).toMatchObject({ covered: 0 });
  expect(performance.now() - startedAtMs).toBeLessThan(1_000 + lag.allowanceMs());
});

it('no data plane is refused money while recalls to others are open', async () => {
  const { accountId, watch, allowance } = await holder();
  const startedAtMs = performance.now();
  await expectRefusal(
    new TestAllowance(control, accountId).acquire({ needs: [8 * USD] }),
    GrpcStatus.ABORTED,
  );
  expect(performance.now() - startedAtMs).toBeGreaterThan(1_400);
  // The holder is still recalled, and the next data plane gets what it returns.
  const recall = await allowance.waitForRecall(watch);
  await allowance.returnUnused({ returned: USD, recall });
  expect(await new TestAllowance(control, accountId).acquire({ needs: [8 * USD] })).toMatchObject({
    covered: 1,
  });
});

it('a reply to a recall that predates the last grant does not count', async () => {
  const { accountId, watch, allowance } = await holder();
  const acquiring = new TestAllowance(control, accountId).acquire({ needs: [8 * USD] });
  const recall = await allowance.waitForRecall(watch);
  // The grant is on its way to the data plane, which knows of nothing to return yet.
  const answer = await allowance.returnUnused({ recall, granted: 0 });
  expect(answer.granted).toBe(String(2 * USD));
  await allowance.returnUnused({ returned: USD, recall });
  expect(await acquiring).toMatchObject({ covered: 1 });
});

it('money held over a reset stays held, is charged to the new month, and the rest is full again', async () => {
  const { accountId, pool } = await newPayer(control, '5.00', 'monthly');
  const allowance = new TestAllowance(control, accountId);
  await allowance.acquire({ needs: [2 * USD] });
  await settle(accountId, randomUUID(), USD / 2, allowance.id);
  await settle(accountId, randomUUID(), USD, null);
  expect(await poolAmounts(control, pool)).toMatchObject({
    remaining: String(2 * USD),
    held: String(1.5 * USD),
    charged: String(1.5 * USD),
  });
  await control.query(`UPDATE pools SET resets_at = now() - interval '1 s' WHERE id = $1`, [pool]);
  await until(async () => (await poolAmounts(control, pool))?.charged === '0');
  expect(await poolAmounts(control, pool)).toMatchObject({
    remaining: String(3.5 * USD),
    held: String(1.5 * USD),
  });
  const [next] = await control.sql`
      SELECT resets_at = (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC' AS ok
     FROM pools WHERE id = ${pool}`;
  expect(next?.ok).toBe(true);
  await settle(accountId, randomUUID(), 1.5 * USD, allowance.id);
  expect(await poolAmounts(control, pool)).toMatchObject({
    remaining: String(3.5 * USD),
    held: '0',
    charged: String(1.5 * USD),
  });
});

it('the first request after a reset fills the pool, with or without a sweep', async () => {
  const { accountId, pool } = await newPayer(control, '5.00', 'monthly');
  await settle(accountId, randomUUID(), 5 * USD, null);
  await control.query(`UPDATE pools SET resets_at = now() - interval '70 days' WHERE id = $1`, [pool]);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      new TestAllowance(control, accountId).acquire({ needs: [USD] }, index % 2),
    ),
  );
  expect(answers.filter(({ covered }) => covered === 1)).toHaveLength(5);
  const resets =
    await control.sql`SELECT amount FROM ledger_entries WHERE pool_id = ${pool} AND kind = 'reset'`;
  expect(resets).toEqual([{ amount: String(5 * USD) }]);
});

it("a lost data plane's money is released, its streams are billed as reported, and late reports are charged while money lasts", async () => {
  const { accountId, pool } = await newPayer(control, '5.00');
  const watch = await control.dataPlane();
  const survivor = await control.dataPlane(1);
  const allowance = new TestAllowance(control, accountId, watch.instanceId);
  const other = new TestAllowance(control, accountId, survivor.instanceId);
  await allowance.acquire({ needs: [3 * USD] });
  await other.acquire({ needs: [USD] });
  const running = `req_${randomUUID()}`;
  await checkpoint(accountId, running, USD / 4, allowance.id);
  watch.cancel();
  await loseDataPlane(control, watch.instanceId);
  // A sweeper frees nothing in its first 10 s, because no data plane could renew a lease before.
  await until(async () => (await allowance.stored())?.closed === true);
  expect(await recordOf(running)).toEqual({
    cost: String(USD / 4),
    charged: String(USD / 4),
    uncollected: '0',
    billing_reason: 'aborted_partial',
  });
  expect(await poolAmounts(control, pool)).toMatchObject({
    remaining: String(3.75 * USD),
    held: String(USD),
    charged: String(USD / 4),
  });
  expect(await other.stored()).toMatchObject({ closed: false, held: String(USD) });
  expect(await control.query('SELECT 1 FROM usage_checkpoints WHERE request_id = $1', [running])).toEqual([]);

  // The data plane was only silent: its settlements arrive and count once.
  for (const _ of [1, 2]) await settle(accountId, running, 2 * USD, allowance.id);
  expect(await recordOf(running)).toMatchObject({ charged: String(2 * USD), uncollected: '0' });
  const late = `req_${randomUUID()}`;
  await settle(accountId, late, 4 * USD, allowance.id);
  expect(await recordOf(late)).toMatchObject({
    cost: String(4 * USD),
    charged: String(2 * USD),
    uncollected: String(2 * USD),
  });
  // The money that others hold does not change.
  expect(await poolAmounts(control, pool)).toMatchObject({ remaining: '0', held: String(USD) });
  await expect(allowance.acquire({ needs: [1] })).rejects.toSatisfy(
    (error) => grpcStatus(error) === GrpcStatus.ABORTED,
  );
  // Lease of another control plane: its own may be ending the former lease just now.
  await control.sql`INSERT INTO key_watchers (instance_id, control_plane_id, acked_revision, lease_until)
     VALUES (${watch.instanceId}, 'test', 0, now() + interval '1 min') ON CONFLICT (instance_id) DO UPDATE
     SET control_plane_id = EXCLUDED.control_plane_id, lease_until = EXCLUDED.lease_until`;
  expect(await allowance.acquire({ needs: [1] })).toMatchObject({ closed: true });
});

it('a data plane that returns in time keeps its money', async () => {
  const { accountId } = await newPayer(control, '5.00');
  const watch = await control.dataPlane();
  const allowance = new TestAllowance(control, accountId, watch.instanceId);
  await allowance.acquire({ needs: [3 * USD] });
  const closed = `SELECT close_expired_allowance($1, interval '6.5 s') AS closed`;
  expect(await control.query(closed, [allowance.id])).toEqual([{ closed: false }]);
  await control.sql`
    UPDATE key_watchers SET lease_until = now() - interval '6 s' WHERE instance_id = ${watch.instanceId}`;
  expect(await control.query(closed, [allowance.id])).toEqual([{ closed: false }]);
  expect(await allowance.stored()).toMatchObject({ closed: false, held: String(3 * USD) });
});
