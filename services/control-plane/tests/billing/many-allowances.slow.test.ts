import { randomUUID } from 'node:crypto';
import { GrpcStatus } from '@model-gateway/contracts';
import { until } from '@model-gateway/test-kit';
import { afterAll, expect, it } from 'vitest';
import { expectRefusal, holdLock } from '../fixtures/administration-fixture.ts';
import {
  newPayer,
  poolAmounts,
  type RequestedMoney,
  TestAllowance,
  type TestReturn,
} from '../fixtures/allowances-fixture.ts';
import { at, CALL_DEADLINE_MS, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { insertLease, poolsOf, settle } from '../fixtures/pools-fixture.ts';

const USD = 1_000_000_000;
const PLENTY: RequestedMoney = { needs: [USD], spare: USD / 10 };

const control = useControlPlanes({ count: 2 });
afterAll(async () => {
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
});

/** Lease with one allowance per payer. */
async function dataPlane(...accountIds: string[]): Promise<TestAllowance[]> {
  const instanceId = randomUUID();
  await insertLease(control, instanceId);
  return accountIds.map((accountId) => new TestAllowance(control, accountId, instanceId));
}

async function acquire(wanted: readonly (readonly [TestAllowance, RequestedMoney])[], plane = 0) {
  const request = { allowances: wanted.map(([allowance, amounts]) => allowance.request(amounts)) };
  const client = at(control.callers, plane);
  const { answers } = await client.call(CALL_DEADLINE_MS, 'billing', 'acquireAllowances', request);
  return wanted.map(([{ id }]) => answers[id]);
}

const acquirePlenty = (...allowances: TestAllowance[]) => acquire(allowances.map((each) => [each, PLENTY]));

async function returnUnused(given: readonly (readonly [TestAllowance, TestReturn])[], plane = 0) {
  const { answers } = await at(control.callers, plane).call(CALL_DEADLINE_MS, 'billing', 'returnAllowances', {
    allowances: given.map(([{ id }, amounts]) => ({ allowanceId: id, ...amounts })),
  });
  return given.map(([{ id }]) => answers[id]);
}

async function twoPayers(includedUsd = '9.00') {
  const [one, other] = [await newPayer(control, includedUsd), await newPayer(control, includedUsd)];
  const [first, second] = await dataPlane(one.accountId, other.accountId);
  if (first === undefined || second === undefined) throw new Error('there are two');
  return { one, other, first, second };
}

it('many payers get the same grants in one call as in calls of their own', async () => {
  const { one, other, first, second } = await twoPayers();
  const asked: [TestAllowance, RequestedMoney][] = [
    [first, { needs: [USD], spare: 100 * USD }],
    [second, { needs: [2 * USD, 2 * USD], spare: USD / 2 }],
  ];
  expect(await acquire(asked)).toMatchObject([
    { closed: false, covered: 1, granted: String(2 * USD), exact: false },
    { closed: false, covered: 2, granted: String(4.5 * USD), exact: false },
  ]);
  expect(await poolAmounts(control, one.pool)).toMatchObject({ held: String(2 * USD) });
  expect(await poolAmounts(control, other.pool)).toMatchObject({ remaining: String(4.5 * USD) });
  expect(await acquire([[second, { spare: USD / 10 }]])).toMatchObject([
    { covered: 0, granted: String(4.6 * USD) },
  ]);
});

it('many payers draw on pools in order, and those whose first pool cannot give all are left out', async () => {
  const { accountId, pool } = await newPayer(control, '1.00');
  const { id: next } = await poolsOf(control).add(
    { kind: 'account', id: accountId },
    { includedUsd: '9.00' },
  );
  const [allowance] = await dataPlane(accountId);
  if (allowance === undefined) throw new Error('there is one');
  const few = { needs: [USD / 10], spare: USD / 10 };
  expect(await acquire([[allowance, few]])).toMatchObject([{ covered: 1 }]);
  expect(await poolAmounts(control, pool)).toMatchObject({ held: String(USD / 5) });
  expect(await acquire([[allowance, { ...few, spare: USD / 5 }]])).toEqual([undefined]);
  expect(await allowance.acquire({ needs: [USD] })).toMatchObject({ covered: 1 });
  expect(await acquire([[allowance, few]])).toMatchObject([{ granted: String(1.4 * USD) }]);
  expect(await poolAmounts(control, next)).toMatchObject({ held: String(0.4 * USD) });
});

it('a payer whose allowance also returns money is left out of a request for many', async () => {
  const { first, second } = await twoPayers('5.00');
  await acquire([[first, { needs: [USD], spare: USD }]]);
  const answers = await acquire([
    [first, { needs: [USD], spare: USD, returned: USD / 4 }],
    [second, { needs: [USD], spare: USD }],
  ]);
  expect(answers).toMatchObject([undefined, { covered: 1 }]);
});

it('a payer whose pools are locked is left out without waiting, and gets money in a call of its own', async () => {
  const { one, first, second } = await twoPayers();
  const lock = await holdLock(control, `SELECT FROM pools WHERE id = '${one.pool}' FOR UPDATE`);
  expect(await acquirePlenty(first, second)).toMatchObject([undefined, { covered: 1 }]);
  const alone = first.acquire({ needs: [USD] });
  await lock.waiting(1);
  await lock[Symbol.asyncDispose]();
  expect(await alone).toMatchObject({ covered: 1, granted: String(USD) });
});

it('an allowance that a settlement has locked does not block others', async () => {
  const { first, second } = await twoPayers();
  await acquirePlenty(first, second);
  await using _lock = await holdLock(control, `SELECT FROM allowances WHERE id = '${first.id}' FOR UPDATE`);
  const granted = { covered: 1, granted: String(2.2 * USD) };
  expect(await acquirePlenty(first, second)).toMatchObject([undefined, granted]);
  expect(
    await returnUnused([
      [first, { close: true }],
      [second, { close: true, granted: 2.2 * USD }],
    ]),
  ).toMatchObject([undefined, { closed: true }]);
});

it('payers with too little money or no pool are left out, so that others are recalled only for a single request', async () => {
  const { one, first, second } = await twoPayers('2.00');
  const [holder] = await dataPlane(one.accountId);
  if (holder === undefined) throw new Error('there is one');
  const poolless = new TestAllowance(control, `acct_${randomUUID()}`, first.instanceId);
  await acquire([[holder, { needs: [USD], spare: USD }]]);
  expect(await acquirePlenty(first, second, poolless)).toMatchObject([undefined, { covered: 1 }, undefined]);
  const recalled = async () =>
    (await control.query('SELECT recall FROM allowances WHERE id = $1', [holder.id]))[0]?.recall;
  expect(await recalled()).toBe(0);
  await expectRefusal(first.acquire({ needs: [USD] }), GrpcStatus.ABORTED);
  expect(await recalled()).toBe(1);
});

it('payers that share one pool never get more than its balance', async () => {
  const { accountId, pool } = await newPayer(control, '1.00');
  const eight = await dataPlane(...Array.from({ length: 8 }, () => accountId));
  const few = { needs: [USD / 100], spare: USD };
  const answers = await acquire(eight.map((each) => [each, few]));
  // An eighth of the 0.92 USD beyond the needs, for all together.
  expect(answers.map((answer) => Number(answer?.granted))).toEqual(eight.map(() => 0.024375 * USD));
  expect(await poolAmounts(control, pool)).toMatchObject({ held: String(0.195 * USD) });
  expect(await acquire(eight.map((each) => [each, { needs: [USD / 5], spare: USD }]))).toEqual(
    eight.map(() => undefined),
  );
});

it('payers are left out after a reset, a recall, a closed allowance or a lost lease', async () => {
  const { one, other, first, second } = await twoPayers();
  const acquireBoth = () => acquirePlenty(first, second);
  await control.query('UPDATE pools SET recalled_at = now() WHERE id = $1', [other.pool]);
  // A control plane resets pools past their month itself, every few seconds.
  await until(async () => {
    await control.query(`UPDATE pools SET resets_at = now() - interval '70 days' WHERE id = $1`, [one.pool]);
    return (await acquireBoth()).every((answer) => answer === undefined);
  });
  await control.query('UPDATE pools SET resets_at = NULL, recalled_at = NULL');
  expect(await acquireBoth()).toMatchObject([{ covered: 1 }, { covered: 1 }]);
  await returnUnused([[first, { close: true, granted: 1.1 * USD }]]);
  expect(await acquireBoth()).toMatchObject([undefined, { covered: 1 }]);
  await control.query('DELETE FROM key_watchers WHERE instance_id = $1', [first.instanceId]);
  expect(await acquireBoth()).toEqual([undefined, undefined]);
});

it('one call takes at most 100 allowances, each once, of one data plane', async () => {
  const { one, first, second } = await twoPayers();
  const many = await dataPlane(...Array.from({ length: 101 }, () => one.accountId));
  for (const asked of [many, [first, first], [first, ...(await dataPlane(one.accountId))]]) {
    await expectRefusal(acquire(asked.map((each) => [each, {}])), GrpcStatus.INVALID_ARGUMENT);
  }
  await expectRefusal(returnUnused(many.map((each) => [each, {}])), GrpcStatus.INVALID_ARGUMENT);
  await expectRefusal(acquire([[second, { needs: [0] }]]), GrpcStatus.INVALID_ARGUMENT);
});

it('returns of many allowances count once, however often and wherever they are reported', async () => {
  const { one, other, first, second } = await twoPayers('5.00');
  const asked = { needs: [3 * USD], spare: USD / 10 };
  await acquire([
    [first, asked],
    [second, asked],
  ]);
  const granted = 3.1 * USD;
  for (const plane of [0, 1, 0]) {
    await returnUnused(
      [
        [second, { close: true, granted }],
        [first, { returned: 2 * USD, granted }],
      ],
      plane,
    );
  }
  expect(await poolAmounts(control, one.pool)).toMatchObject({
    remaining: String(3.9 * USD),
    held: String(1.1 * USD),
  });
  expect(await poolAmounts(control, other.pool)).toMatchObject({ remaining: String(5 * USD), held: '0' });
});

it('concurrent grants, returns and settlements neither deadlock nor lose money', async () => {
  const payers = await Promise.all(Array.from({ length: 12 }, () => newPayer(control, '100.00')));
  const accountIds = payers.map(({ accountId }) => accountId);
  const planes = await Promise.all(Array.from({ length: 6 }, () => dataPlane(...accountIds)));
  let granted = 0;
  const work = planes.map(async (allowances, plane) => {
    const order = plane % 2 === 0 ? allowances : allowances.toReversed();
    for (let round = 0; round < 5; round++) {
      const answers = await acquire(
        order.map((each) => [each, { needs: [USD / 100], spare: USD / 100 }]),
        plane % 2,
      );
      granted += answers.filter((answer) => answer !== undefined).length;
      const [first, last] = [order.at(0), order.at(-1)];
      await first?.acquire({ needs: [USD / 100] }, plane % 2);
      await settle(
        control,
        order.map(({ id }, index) => ({
          requestId: randomUUID(),
          cost: index % 3 === 0 ? 0 : USD / 200,
          allowanceId: id,
          owner: { accountId: accountIds[plane % 2 === 0 ? index : 11 - index] ?? '' },
        })),
      );
      if (last !== undefined)
        await returnUnused([[last, { returned: USD / 1_000, granted: USD }]], plane % 2);
    }
  });
  await Promise.all(work);
  expect(granted).toBeGreaterThan(0);
});
