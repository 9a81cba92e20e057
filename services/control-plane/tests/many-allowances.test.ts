import { randomUUID } from 'node:crypto';
import { GrpcStatus } from '@model-gateway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdLock, refusalOf } from './administration-fixture.ts';
import { type AskedFor, type GivenBack, newPayer, poolBooks, TestAllowance } from './allowances-fixture.ts';
import { at, CALL_DEADLINE_MS, type ControlPlanes, startControlPlanes } from './control-planes-fixture.ts';
import { poolsOf, settle } from './pools-fixture.ts';

const USD = 1_000_000_000;

let control: ControlPlanes;
beforeAll(async () => {
  control = await startControlPlanes({ count: 2 });
});
afterAll(async () => {
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
  await control[Symbol.asyncDispose]();
});

/** A data plane with a lease, and an allowance for each of its payers. */
async function dataPlane(...accountIds: string[]): Promise<TestAllowance[]> {
  const instanceId = randomUUID();
  await control.query(
    `INSERT INTO key_watchers (instance_id, control_plane_id, acked_revision, lease_until)
     VALUES ($1, 'test', 0, now() + interval '1 hour')`,
    [instanceId],
  );
  return accountIds.map((accountId) => new TestAllowance(control, accountId, instanceId));
}

async function acquire(asked: readonly (readonly [TestAllowance, AskedFor])[], plane = 0) {
  const { answers } = await at(control.callers, plane).call(
    CALL_DEADLINE_MS,
    'billing',
    'acquireAllowances',
    { allowances: asked.map(([allowance, amounts]) => allowance.question(amounts)) },
  );
  return asked.map(([{ id }]) => answers[id]);
}

async function giveBack(given: readonly (readonly [TestAllowance, GivenBack])[], plane = 0) {
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

describe('money for many payers in one call', () => {
  it('is granted to each as if it had asked alone, needs first and an eighth of the rest to spare', async () => {
    const { one, other, first, second } = await twoPayers();
    const answers = await acquire([
      [first, { needs: [USD], spare: 100 * USD }],
      [second, { needs: [5 * USD, 5 * USD] }],
    ]);
    expect(answers).toMatchObject([
      { closed: false, covered: 1, granted: String(2 * USD), exact: false },
      { closed: false, covered: 1, granted: String(5 * USD), exact: true },
    ]);
    expect(await poolBooks(control, one.pool)).toMatchObject({ held: String(2 * USD) });
    expect(await poolBooks(control, other.pool)).toMatchObject({ remaining: String(4 * USD) });
  });

  it('counts what is given back before anything is granted', async () => {
    const { one, first, second } = await twoPayers('5.00');
    await acquire([[first, { needs: [4 * USD] }]]);
    expect(
      await acquire([
        [first, { needs: [5 * USD], returned: 4 * USD }],
        [second, { needs: [USD] }],
      ]),
    ).toMatchObject([{ covered: 1, granted: String(9 * USD) }, { covered: 1 }]);
    expect(await poolBooks(control, one.pool)).toMatchObject({ remaining: '0', held: String(5 * USD) });
  });

  it('does not wait for a payer whose pools somebody has locked: that one is left out, and can ask alone', async () => {
    const { one, first, second } = await twoPayers();
    const lock = await holdLock(control, `SELECT FROM pools WHERE id = '${one.pool}' FOR UPDATE`);
    expect(
      await acquire([
        [first, { needs: [USD] }],
        [second, { needs: [USD] }],
      ]),
    ).toMatchObject([undefined, { covered: 1 }]);
    const alone = first.acquire({ needs: [USD] });
    await lock.waiting(1);
    await lock[Symbol.asyncDispose]();
    expect(await alone).toMatchObject({ covered: 1, granted: String(USD) });
  });

  it('does not wait for an allowance that a settlement has locked', async () => {
    const { first, second } = await twoPayers();
    await acquire([
      [first, { needs: [USD] }],
      [second, { needs: [USD] }],
    ]);
    await using _lock = await holdLock(
      control,
      `SELECT FROM allowances WHERE id = '${first.id}' FOR UPDATE`,
    );
    expect(
      await acquire([
        [first, { needs: [USD] }],
        [second, { needs: [USD] }],
      ]),
    ).toMatchObject([undefined, { covered: 1, granted: String(2 * USD) }]);
    expect(
      await giveBack([
        [first, { close: true }],
        [second, { close: true, granted: 2 * USD }],
      ]),
    ).toMatchObject([undefined, { closed: true }]);
  });

  it('leaves out who has not enough or no pool, so that others are asked for what they hold only when it asks alone', async () => {
    const { one, first, second } = await twoPayers('1.00');
    const [holder, poolless] = await dataPlane(one.accountId, `acct_${randomUUID()}`);
    if (holder === undefined || poolless === undefined) throw new Error('there are two');
    await acquire([[holder, { needs: [USD / 2], spare: USD }]]);
    expect(
      await acquire([
        [first, { needs: [USD] }],
        [second, { needs: [USD] }],
        [poolless, { needs: [USD] }],
      ]),
    ).toMatchObject([undefined, { covered: 1 }, undefined]);
    const recalled = async () =>
      (await control.query('SELECT recall FROM allowances WHERE id = $1', [holder.id]))[0]?.recall;
    expect(await recalled()).toBe(0);
    expect(await refusalOf(first.acquire({ needs: [USD] }))).toBe(GrpcStatus.ABORTED);
    expect(await recalled()).toBe(1);
  });

  it('covers seats that share a pool one after the other, and never more than there is', async () => {
    const { accountId, pool } = await newPayer(control, '1.00');
    const allowances = await dataPlane(...Array.from({ length: 15 }, () => accountId));
    const answers = await acquire(allowances.map((each) => [each, { needs: [USD / 10] }]));
    expect(answers.filter((answer) => answer?.covered === 1)).toHaveLength(10);
    expect(await poolBooks(control, pool)).toMatchObject({ remaining: '0', held: String(USD) });
  });

  it('fills pools whose month is over', async () => {
    const { accountId, pool } = await newPayer(control, '5.00', 'monthly');
    await settle(control, [{ requestId: randomUUID(), cost: 5 * USD, payer: { accountId } }]);
    await control.query(`UPDATE pools SET resets_at = now() - interval '70 days' WHERE id = $1`, [pool]);
    const [allowance] = await dataPlane(accountId);
    if (allowance === undefined) throw new Error('there is one');
    expect(await acquire([[allowance, { needs: [USD] }]])).toMatchObject([{ covered: 1 }]);
    expect(await poolBooks(control, pool)).toMatchObject({ remaining: String(4 * USD), charged: '0' });
  });

  it('is not granted to a closed allowance, nor without a lease', async () => {
    const { first, second } = await twoPayers();
    await acquire([[first, { needs: [USD] }]]);
    await giveBack([[first, { close: true, granted: USD }]]);
    expect(
      await acquire([
        [first, { needs: [USD] }],
        [second, { needs: [USD] }],
      ]),
    ).toMatchObject([{ closed: true, covered: 0 }, { covered: 1 }]);
    await control.query('DELETE FROM key_watchers WHERE instance_id = $1', [first.instanceId]);
    expect(await refusalOf(acquire([[second, { needs: [USD] }]]))).toBe(GrpcStatus.ABORTED);
  });

  it('is not set aside for more than 100, for one twice, nor for several data planes', async () => {
    const { one, first, second } = await twoPayers();
    const many = await dataPlane(...Array.from({ length: 101 }, () => one.accountId));
    for (const asked of [many, [first, first], [first, ...(await dataPlane(one.accountId))]]) {
      expect(await refusalOf(acquire(asked.map((each) => [each, {}])))).toBe(GrpcStatus.INVALID_ARGUMENT);
    }
    expect(await refusalOf(giveBack(many.map((each) => [each, {}])))).toBe(GrpcStatus.INVALID_ARGUMENT);
    expect(await refusalOf(acquire([[second, { needs: [0] }]]))).toBe(GrpcStatus.INVALID_ARGUMENT);
  });
});

it('what many allowances give back counts once, however often and wherever it is said', async () => {
  const { one, other, first, second } = await twoPayers('5.00');
  await acquire([
    [first, { needs: [3 * USD] }],
    [second, { needs: [3 * USD] }],
  ]);
  const granted = 3 * USD;
  for (const plane of [0, 1, 0]) {
    await giveBack(
      [
        [second, { close: true, granted }],
        [first, { returned: 2 * USD, granted }],
      ],
      plane,
    );
  }
  expect(await poolBooks(control, one.pool)).toMatchObject({ remaining: String(4 * USD), held: String(USD) });
  expect(await poolBooks(control, other.pool)).toMatchObject({ remaining: String(5 * USD), held: '0' });
});

it('many calls for many payers, single calls, returns and settlements at once neither deadlock nor lose money', async () => {
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
          payer: { accountId: accountIds[plane % 2 === 0 ? index : 11 - index] ?? '' },
        })),
      );
      if (last !== undefined) await giveBack([[last, { returned: USD / 1_000, granted: USD }]], plane % 2);
    }
  });
  await Promise.all(work);
  expect(granted).toBeGreaterThan(0);
});
