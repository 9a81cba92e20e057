import { afterAll, expect, it } from 'vitest';
import { holdLock } from '../fixtures/administration-fixture.ts';
import { newPayer, TestAllowance } from '../fixtures/allowances-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { poolsOf } from '../fixtures/pools-fixture.ts';

const USD = 1_000_000_000;

const control = useControlPlanes({ count: 2 });
afterAll(async () => {
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
});

it('money of an allowance with a removed pool can be requested and returned at the same time', async () => {
  const { accountId, pool } = await newPayer(control, '1.00');
  const other = await poolsOf(control).add({ kind: 'account', id: accountId }, { includedUsd: '1.00' });
  // Pools are locked in order of id.
  const [first = '', second = ''] = [pool, other.id].toSorted();
  const allowance = new TestAllowance(control, accountId);
  const { granted } = await allowance.acquire({ needs: [1.5 * USD] });
  expect(Number(granted)).toBe(1.5 * USD);
  await allowance.returnUnused({ returned: 1.5 * USD });
  const { pool: removed } = await control.admin('pools', 'removePool', {
    poolId: first,
  });
  expect(removed?.id).toBe(first);
  const lock = await holdLock(control, `SELECT FROM pools WHERE id = '${second}' FOR UPDATE`);
  const more = allowance.acquire({ needs: [USD / 2], returned: 1.5 * USD });
  await lock.waiting(1);
  const back = allowance.returnUnused({ returned: 1.5 * USD });
  await lock.waiting(2);
  await lock[Symbol.asyncDispose]();
  const [answer] = await Promise.all([more, back]);
  expect(Number(answer.granted)).toBe(2 * USD);
});
