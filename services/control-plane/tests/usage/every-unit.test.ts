import type { UnitsMessage } from '@model-gateway/contracts';
import { METERED, PARTS, perUnit, recordOf, UNITS } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import { at, CALL_DEADLINE_MS, startControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { holderUsageOf } from '../fixtures/holder-usage-fixture.ts';
import { poolsOf } from '../fixtures/pools-fixture.ts';
import { outcomeOf, Settlement } from '../fixtures/settlement-fixture.ts';

const DAY = 86_400;
const NANO_USD = 1_000_000_000n;

/** Distinct counts; no whole is below the sum of its parts. */
const counts = perUnit('unit', ({ unit, partOf }) => {
  const place = UNITS.findIndex((rule) => rule.unit === unit);
  return partOf === undefined ? 1_000 * (place + 1) : place + 1;
});
/** Each price is one dollar above the previous. */
const pricing = recordOf(UNITS.map(({ price: { name } }, place) => [name, `${place + 1}`] as const));

/** Computes the cost independently, in whole dollars per price, from each unit without its parts. */
const cost = UNITS.reduce((sum, { unit, price: { per } }, place) => {
  const parts = PARTS.filter(({ whole }) => whole.unit === unit).map(({ part }) => counts[part.unit]);
  const rest = parts.reduce((left, part) => left - part, counts[unit]);
  return sum + (BigInt(rest) * BigInt(place + 1) * NANO_USD) / BigInt(per);
}, 0n);

it('every unit a data plane reports is charged, stored, summed and returned by every read', async () => {
  await using control = await startControlPlanes();
  await control.sql`
    INSERT INTO models (id, name, description, capability, tier, input_modalities, output_modalities)
     VALUES ('sim/all', 'All', '', 'chat', 'paid', '{text}', '{text}')`;
  await control.sql`
    INSERT INTO model_prices (model_id, version, pricing) VALUES ('sim/all', 1, ${JSON.stringify(pricing)})`;
  const settlement = new Settlement(at(control.callers, 0));
  const record = {
    ...outcomeOf('sim/all'),
    priceVersion: 1,
    units: perUnit('unit', ({ unit }) => String(counts[unit])),
    usageSource: 'provider',
  };
  expect(await settlement.settle([record])).toMatchObject({ refused: 0 });
  settlement.end();

  const now = Math.floor(Date.now() / 1_000);
  const period = { startTime: now - 2 * DAY, endTime: now + DAY };
  const admin = at(control.admins, 0);
  const { requestId } = record;
  const receipt = await admin.call(CALL_DEADLINE_MS, 'billing', 'getReceipt', { requestId });
  const usage = await control.caller('billing', 'getUsage', {
    owner: { accountId: 'acct_test' },
    bucketWidth: DAY,
    limit: 31,
    ...period,
  });
  const total = await admin.call(CALL_DEADLINE_MS, 'billing', 'getTotalUsage', {
    groupBy: 'account',
    limit: 50,
    ...period,
  });
  const list = await admin.call(CALL_DEADLINE_MS, 'billing', 'listReceipts', {
    account: 'acct_test',
    startMs: 0,
    endMs: (now + DAY) * 1_000,
    limit: 50,
  });
  const { requests } = await holderUsageOf(control, 'acct_test').requests();

  const reads: Record<string, UnitsMessage | null | undefined> = {
    'the receipt': receipt.units,
    'the usage of an account': usage.totals?.units,
    'the usage of all accounts': total.totals?.units,
    'the group of an account': total.groups[0]?.sums?.units,
    'the list of receipts': list.receipts[0]?.units,
    'the requests of an account': requests[0]?.units,
  };
  for (const [where, units] of Object.entries(reads)) expect(units, where).toEqual(record.units);
  expect(receipt.cost).toBe(String(cost));
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
});

it('every unit has a price that a model of some capability can have', () => {
  const metered = Object.values(METERED).flat();
  expect(UNITS.map(({ price }) => price.name).filter((name) => !metered.includes(name))).toEqual([]);
});
