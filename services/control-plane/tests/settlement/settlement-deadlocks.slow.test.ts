import { randomInt } from 'node:crypto';
import process from 'node:process';
import { expect, it } from 'vitest';
import { startControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { poolsOf } from '../fixtures/pools-fixture.ts';
import { moveMoneyAtRandom } from '../fixtures/random-money-fixture.ts';

/** Set to repeat a run, or to run longer. */
const { MONEY_SEED = String(randomInt(2 ** 31)), MONEY_SECONDS = '8' } = process.env;

it(`operations on money never deadlock, and the ledger agrees afterwards (MONEY_SEED=${MONEY_SEED})`, async () => {
  await using control = await startControlPlanes();
  const { done, failures, lockedOut } = await moveMoneyAtRandom(control, {
    seed: Number(MONEY_SEED),
    connections: 8,
    forMs: Number(MONEY_SECONDS) * 1_000,
  });
  process.stdout.write(`${JSON.stringify({ MONEY_SEED, done, lockedOut })}\n`);
  expect(failures).toEqual({});
  await control.query('SELECT roll_up_settlements(1000000)');
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
});
