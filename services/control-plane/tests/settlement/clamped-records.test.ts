import { randomUUID } from 'node:crypto';
import type { SettleBatch } from '@model-gateway/contracts';
import { MAX_COUNT, UNITS } from '@model-gateway/shared';
import { simulatedCatalog, until } from '@model-gateway/test-kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newPayer, poolAmounts } from '../fixtures/allowances-fixture.ts';
import { at, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { applyCatalog } from '../fixtures/holder-usage-fixture.ts';
import { poolsOf } from '../fixtures/pools-fixture.ts';
import { outcomeOf, Settlement } from '../fixtures/settlement-fixture.ts';

type Report = NonNullable<SettleBatch['records']>[number];
type Attempt = NonNullable<Report['attempts']>[number];

const HELD = '40000000';
const TOO_LARGE = '18446744073709551615';
const LONG = 'x'.repeat(100_000);
/** Texts that Postgres cannot store, or only cut. */
const TEXTS = {
  'too long': LONG,
  empty: '',
  NUL: 'a\0b',
  'half a surrogate pair': 'a\ud800b',
  'a pair that is cut in the middle': `${'x'.repeat(299)}😀`,
};
const COUNTS = { 'too large': TOO_LARGE, negative: '-1' };
const DURATIONS = {
  'not a number': Number.NaN,
  infinite: Number.POSITIVE_INFINITY,
  negative: -1,
  huge: 1e300,
};
const TIMES = { zero: '0', negative: '-1', 'too large': '9223372036854775807' };
const INTEGERS = { zero: 0, 'too large': 4_294_967_295 };
const ATTEMPT = {
  ...outcomeOf('sim/image-pro').attempts[0],
  modelId: 'sim/image-pro',
  timeToFirstTokenMs: 1,
  httpStatus: 500,
  errorCode: 'upstream_error',
  silentMs: 1,
  streamed: true,
  credentialEnv: 'KEY',
} satisfies Attempt;

const control = useControlPlanes({ count: 1 });

beforeAll(async () => {
  await applyCatalog(control, simulatedCatalog('http://127.0.0.1:9/v1'));
});
afterAll(async () => {
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
});

/** Paid image, 0.04 USD, whose every field is set. */
function image(accountId: string, more: Partial<Report> = {}): Report {
  return {
    ...outcomeOf('sim/image-pro'),
    capability: 'images',
    owner: { accountId },
    priceVersion: 1,
    units: { images: 1 },
    usageSource: 'gateway',
    held: HELD,
    attempts: [ATTEMPT],
    ...more,
  };
}

type Case = [field: string, value: string, change: (accountId: string) => Partial<Report>];

function cases<Value>(
  field: string,
  values: Record<string, Value>,
  change: (value: Value, accountId: string) => Partial<Report>,
): Case[] {
  return Object.entries(values).map(([name, value]) => [field, name, (account) => change(value, account)]);
}

const parts = (part: object) => ({ parts: [{ modelId: 'sim/image-pro', priceVersion: 1, ...part }] });
const attempt = (change: object) => ({ attempts: [{ ...ATTEMPT, ...change }] });

/** Each field of a report with the values that do not fit it. */
const CASES: Case[] = [
  ...cases('requestId', { ...TEXTS, empty: '' }, (requestId) => ({ requestId })),
  ...cases('modelId', TEXTS, (modelId) => ({ modelId })),
  ...cases('keyId', TEXTS, (keyId) => ({ keyId })),
  ...cases('owner.seatId', TEXTS, (seatId, accountId) => ({ owner: { accountId, seatId } })),
  ...cases('owner.teamId', TEXTS, (teamId, accountId) => ({ owner: { accountId, teamId } })),
  ...cases('allowanceId', TEXTS, (allowanceId) => ({ allowanceId })),
  ...cases('clientErrorCode', TEXTS, (clientErrorCode) => ({ clientErrorCode })),
  ...cases('capability', { ...TEXTS, unknown: 'smell' }, (capability) => ({ capability })),
  ...cases('usageSource', { ...TEXTS, unknown: 'a dream' }, (usageSource) => ({ usageSource })),
  ...cases('billingReason', { ...TEXTS, unknown: 'fun' }, (billingReason) => ({ billingReason })),
  ...cases('priceVersion', { ...INTEGERS, unknown: 77 }, (priceVersion) => ({ priceVersion })),
  ...cases('held', COUNTS, (held) => ({ held })),
  ...cases('clientStatus', INTEGERS, (clientStatus) => ({ clientStatus })),
  ...cases('endedAtMs', TIMES, (endedAtMs) => ({ endedAtMs })),
  ...UNITS.flatMap(({ unit }) =>
    cases(`units.${unit}`, COUNTS, (count) => ({ units: { images: 1, [unit]: count } })),
  ),
  ...cases(
    'units',
    { 'a part above its whole': { images: 1, inputTokens: 1, cachedInputTokens: 2 } },
    (units) => ({ units }),
  ),
  ...cases('parts.units', COUNTS, (images) => parts({ units: { images } })),
  ...cases('parts.units', { absent: null }, (units) => parts({ units })),
  ...cases('parts.modelId', TEXTS, (modelId) => parts({ modelId, units: { images: 1 } })),
  ...cases('parts.priceVersion', { ...INTEGERS, unknown: 77 }, (priceVersion) =>
    parts({ priceVersion, units: { images: 1 } }),
  ),
  ...cases('parts', { 'too many': 101 }, (length) => ({
    parts: Array.from({ length }, () => ({
      modelId: 'sim/image-pro',
      priceVersion: 1,
      units: { images: 1 },
    })),
  })),
  ...cases('attempts', { 'too many': 101 }, (length) => ({
    attempts: Array.from({ length }, () => ATTEMPT),
  })),
  ...(['providerId', 'modelId', 'errorCode', 'credentialEnv', 'outcome'] as const).flatMap((field) =>
    cases(`attempts.${field}`, TEXTS, (text) => attempt({ [field]: text })),
  ),
  ...(['latencyMs', 'timeToFirstTokenMs', 'silentMs'] as const).flatMap((field) =>
    cases(`attempts.${field}`, DURATIONS, (ms) => attempt({ [field]: ms, outcome: 'client_gone' })),
  ),
  ...cases('attempts.endedAtMs', TIMES, (endedAtMs) => attempt({ endedAtMs })),
  ...cases('attempts.httpStatus', INTEGERS, (httpStatus) => attempt({ httpStatus })),
];

async function rowsOf(accountId: string) {
  return await control.sql`
    SELECT request_id, cost, charged, usage_source, billing_reason FROM usage_records
    WHERE account_id = ${accountId} ORDER BY usage_source`;
}

it('a record is stored and charged with the rest of its batch, whichever field has a value that does not fit', async () => {
  const settlement = new Settlement(at(control.callers, 0));
  const tried = CASES.map(([field, value, change], index) => {
    const accountId = `acct_${index}_${randomUUID()}`;
    return { field, value, accountId, wrong: image(accountId, change(accountId)), good: image(accountId) };
  });
  const records = tried.flatMap(({ wrong, good }) => [wrong, good]);
  const batchId = randomUUID();
  await settlement.settle(records as never, batchId);
  // As after a reconnect.
  await settlement.settle(records as never, batchId);
  const rows = await control.sql`SELECT account_id, cost FROM usage_records`;
  const failures = tried.filter(({ accountId }) => {
    const costs = rows.filter((row) => row.account_id === accountId).map(({ cost }) => BigInt(String(cost)));
    return costs.length !== 2 || costs.some((cost) => cost < BigInt(HELD));
  });
  expect(failures.map(({ field, value }) => `${field}: ${value}`)).toEqual([]);
  await control.query('SELECT roll_up_settlements(100000)');
});

it('a record without an owner is stored', async () => {
  const settlement = new Settlement(at(control.callers, 0));
  const record = image('nobody', { owner: null });
  await settlement.settle([record] as never);
  const rows =
    await control.sql`SELECT account_id, cost FROM usage_records WHERE request_id = ${record.requestId}`;
  expect(rows).toEqual([{ account_id: 'unknown', cost: HELD }]);
});

it('a record whose values do not fit costs at most its hold, and is marked as estimated', async () => {
  const settlement = new Settlement(at(control.callers, 0));
  const { accountId, pool } = await newPayer(control, '5.00');
  await settlement.settle([
    image(accountId, { units: { images: TOO_LARGE } }),
    image(accountId, { priceVersion: 77 }),
    image(accountId, { units: { images: 100 }, isClamped: true }),
  ] as never);
  expect(await rowsOf(accountId)).toMatchObject(
    Array.from({ length: 3 }, () => ({ cost: HELD, usage_source: 'estimated', billing_reason: 'estimated' })),
  );
  const [row] = await control.sql`
    SELECT max(images)::text AS images FROM usage_records WHERE account_id = ${accountId}`;
  expect(row).toEqual({ images: String(MAX_COUNT) });
  expect(await poolAmounts(control, pool)).toMatchObject({ charged: '120000000' });
});

it('counts that do not fit do not break the sums of usage', async () => {
  const settlement = new Settlement(at(control.callers, 0));
  const { accountId } = await newPayer(control, '5.00');
  const records = Array.from({ length: 1_100 }, () =>
    image(accountId, { units: { inputTokens: '9007199254740991', images: 1 } }),
  );
  await settlement.settle(records as never);
  await until(async () => {
    await control.query('SELECT roll_up_settlements(100000)');
    const [sums] = await control.sql`
      SELECT sum(requests)::int AS requests FROM usage_rollups WHERE account_id = ${accountId} AND width = 60`;
    return sums?.requests === records.length;
  });
});
