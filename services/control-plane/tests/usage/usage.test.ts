import {
  type ControlPlaneClient,
  type GetUsageResponseMessage,
  GrpcStatus,
  grpcStatus,
  type KeyOwnerMessage,
  type ReceiptMessage,
} from '@model-gateway/contracts';
import { perUnit } from '@model-gateway/shared';
import { settleRows, type UsageRowChanges, usageRow } from '@model-gateway/test-kit/usage-row';
import { beforeAll, expect, it } from 'vitest';
import { administer } from '../fixtures/administration-fixture.ts';
import { at, CALL_DEADLINE_MS, useControlPlanes } from '../fixtures/control-planes-fixture.ts';

const DAY = 86_400;
const NO_UNITS = perUnit('unit', () => '0');
const seconds = (text: string) => Date.parse(text) / 1_000;
const MONTH = { startTime: seconds('2026-03-01T00:00:00Z'), endTime: seconds('2026-04-01T00:00:00Z') };

const control = useControlPlanes();
let caller: ControlPlaneClient;
let seat: KeyOwnerMessage;
let counter = 0;

beforeAll(async () => {
  caller = at(control.callers, 0);
  const team = await administer(control).createTeam();
  const { id } = await administer(control).addSeat(team.id, 'acct_test');
  seat = { accountId: 'acct_test', seatId: id, teamId: team.id };
  await control.sql`
    INSERT INTO models (id, name, description, capability, tier, input_modalities, output_modalities)
     VALUES ('sim/paid', 'Paid', '', 'chat', 'paid', '{text}', '{text}')`;
  await control.sql`INSERT INTO model_prices (model_id, version, pricing)
     VALUES ('sim/paid', 3, '{"input_per_million_usd": "1.00", "output_per_million_usd": "2.00"}')`;
});

function settled(endedAt: string, changes: UsageRowChanges = {}) {
  counter += 1;
  return usageRow({
    requestId: `req_${String(counter).padStart(24, '0')}`,
    keyId: 'key_a',
    cachedInputTokens: 4,
    outputTokens: 20,
    images: 1,
    characters: 2,
    audioMs: 1_500,
    searchUnits: 3,
    attempts: [{ providerId: 'sim', httpStatus: 200, errorCode: null, durationMs: 812 }],
    endedAt,
    ...changes,
  });
}

async function settle(...records: ReturnType<typeof settled>[]): Promise<void> {
  await settleRows(control.query, records);
}

async function addAccount(id: string): Promise<KeyOwnerMessage> {
  await control.query('INSERT INTO accounts (id, email, name) VALUES ($1, $2, $1)', [
    id,
    `${id}@example.com`,
  ]);
  return { accountId: id };
}

async function addPool(id: string, owner: string, included: number) {
  await control.query(
    `INSERT INTO pools (id, name, owner, included, remaining) VALUES ($1, 'Pool ' || $1, $2, $3, $3)`,
    [id, owner, included],
  );
}

const month = { bucketWidth: DAY, limit: 31, ...MONTH };

function getUsage(
  owner: KeyOwnerMessage,
  asked: Partial<typeof month & { groupBy: string[]; models: string[]; pageStart: number }> = {},
): Promise<GetUsageResponseMessage> {
  return caller.call(CALL_DEADLINE_MS, 'billing', 'getUsage', { owner, ...month, ...asked });
}

function getReceipt(requestId: string, owner?: KeyOwnerMessage, client = caller): Promise<ReceiptMessage> {
  return client.call(CALL_DEADLINE_MS, 'billing', 'getReceipt', {
    requestId,
    ...(owner === undefined ? {} : { owner }),
  });
}

it("usage of a month sums everything, to the millisecond at the period's edges", async () => {
  const owner = await addAccount('acct_edges');
  const accountId = owner.accountId;
  await settle(
    settled('2026-02-28T23:59:59.999Z', { accountId }),
    settled('2026-03-01T00:00:00.000Z', { accountId }),
    settled('2026-03-31T23:59:59.999Z', { accountId }),
    settled('2026-04-01T00:00:00.000Z', { accountId }),
  );
  const usage = await getUsage(owner);
  expect(usage).toMatchObject({ startTime: String(MONTH.startTime), endTime: String(MONTH.endTime) });
  expect(usage.totals).toEqual({
    requests: '2',
    units: {
      ...NO_UNITS,
      inputTokens: '20',
      cachedInputTokens: '8',
      outputTokens: '40',
      images: '2',
      characters: '4',
      audioMs: '3000',
      searchUnits: '6',
    },
    cost: '0',
  });
  expect(usage.buckets).toHaveLength(31);
  expect(usage.buckets.filter(({ groups }) => groups.length > 0)).toMatchObject([
    { startTime: String(MONTH.startTime), groups: [{ sums: { requests: '1' } }] },
    { endTime: String(MONTH.endTime), groups: [{ sums: { requests: '1' } }] },
  ]);
  expect(usage.nextPageStart).toBeUndefined();
  const second = { startTime: MONTH.endTime - 1, endTime: MONTH.endTime };
  expect(await getUsage(owner, { ...second, bucketWidth: 60, limit: 60 })).toMatchObject({
    startTime: String(MONTH.endTime - 60),
    endTime: String(MONTH.endTime),
    totals: { requests: '1' },
  });
});

it('a request settled twice is counted once', async () => {
  const owner = await addAccount('acct_twice');
  const record = settled('2026-03-05T12:00:00Z', owner);
  await settle(record, record);
  await settle(record);
  expect((await getUsage(owner)).totals?.requests).toBe('1');
});

it('usage equals the sum of its buckets and pages, whatever the period and width', async () => {
  const owner = await addAccount('acct_random');
  const span = MONTH.endTime - MONTH.startTime;
  const times = Array.from({ length: 300 }, () => MONTH.startTime + Math.floor(Math.random() * span));
  await settle(...times.map((time) => settled(new Date(time * 1_000).toISOString(), owner)));
  for (let round = 0; round < 40; round += 1) {
    const bucketWidth = [60, 3_600, DAY][round % 3] ?? 60;
    const length = Math.ceil(Math.random() * Math.min(span, bucketWidth * 100));
    const startTime = MONTH.startTime + Math.floor(Math.random() * (span - length));
    const [from, to] = [Math.floor(startTime / 60) * 60, Math.ceil((startTime + length) / 60) * 60];
    const expected = String(times.filter((time) => time >= from && time < to).length);
    let pageStart: number | undefined;
    let listed = 0;
    let reached = from;
    do {
      const page = await getUsage(owner, {
        startTime,
        endTime: startTime + length,
        bucketWidth,
        limit: 40,
        ...(pageStart === undefined ? {} : { pageStart }),
      });
      expect(page.totals?.requests).toBe(expected);
      for (const bucket of page.buckets) {
        expect(bucket.startTime).toBe(String(reached));
        reached = Number(bucket.endTime);
        expect(reached === to || reached % bucketWidth === 0).toBe(true);
        for (const { sums } of bucket.groups) listed += Number(sums?.requests);
      }
      pageStart = page.nextPageStart === undefined ? undefined : Number(page.nextPageStart);
    } while (pageStart !== undefined);
    expect(reached).toBe(to);
    expect(String(listed)).toBe(expected);
  }
});

it('usage is grouped and filtered as requested', async () => {
  const owner = await addAccount('acct_groups');
  await settle(
    settled('2026-03-05T12:00:00Z', owner),
    settled('2026-03-05T13:00:00Z', { ...owner, keyId: 'key_b' }),
    settled('2026-03-05T14:00:00Z', {
      ...owner,
      keyId: 'key_b',
      modelId: 'sim/embed',
      capability: 'embeddings',
    }),
  );
  const groupsBy = async (groupBy: string[], models: string[] = []) => {
    const { buckets } = await getUsage(owner, { groupBy, models });
    return buckets.flatMap(({ groups }) =>
      groups.map(({ sums, model, key, capability }) => [model, key, capability, sums?.requests]),
    );
  };
  const none = undefined;
  expect(await groupsBy([])).toEqual([[none, none, none, '3']]);
  expect(await groupsBy(['model'])).toEqual([
    ['sim/chat', none, none, '2'],
    ['sim/embed', none, none, '1'],
  ]);
  expect(await groupsBy(['key', 'capability'])).toEqual([
    [none, 'key_a', 'chat', '1'],
    [none, 'key_b', 'chat', '1'],
    [none, 'key_b', 'embeddings', '1'],
  ]);
  expect(await groupsBy(['key'], ['sim/chat', 'sim/none'])).toEqual([
    [none, 'key_a', none, '1'],
    [none, 'key_b', none, '1'],
  ]);
  expect((await getUsage(owner, { models: ['sim/embed'] })).totals?.requests).toBe('1');
});

it('usage of an account excludes its seats', async () => {
  await settle(
    settled('2026-03-05T12:00:00Z', seat),
    settled('2026-03-05T12:00:00Z'),
    settled('2026-03-06T12:00:00Z'),
  );
  expect((await getUsage(seat)).totals?.requests).toBe('1');
  expect((await getUsage({ accountId: 'acct_test' })).totals?.requests).toBe('2');
  expect((await getUsage(await addAccount('acct_nothing'))).totals?.requests).toBe('0');
});

it('usage by the minute is available while minute sums are stored; older periods widen to hours', async () => {
  const old = { startTime: seconds('2020-03-01T10:20:00Z'), endTime: seconds('2020-03-01T11:20:00Z') };
  const owner: KeyOwnerMessage = { accountId: 'acct_test' };
  await expect(getUsage(owner, { ...old, bucketWidth: 60, limit: 60 })).rejects.toSatisfy(
    (error) => grpcStatus(error) === GrpcStatus.INVALID_ARGUMENT && /goes back to/.test(String(error)),
  );
  expect(await getUsage(owner, { ...old, bucketWidth: 3_600, limit: 24 })).toMatchObject({
    startTime: String(seconds('2020-03-01T10:00:00Z')),
    endTime: String(seconds('2020-03-01T12:00:00Z')),
  });
});

it('an invalid usage query is refused with an explanation', async () => {
  await expect(getUsage(seat, { limit: 400 })).rejects.toThrow(/limit must be 1 to 366/);
  await expect(getUsage({ accountId: '' })).rejects.toThrow(/keys belong to/);
});

it("a payer's pools come in charging order, and are full again past their month", async () => {
  await addPool('pool_team', `team:${seat.teamId}`, 500);
  await addPool('pool_seat', `seat:${seat.seatId}`, 1_000);
  await addPool('pool_account', 'account:acct_test', 7);
  await control.sql`
    UPDATE pools SET held = 100, charged = 300, remaining = 600, resets_at = now() - interval '1 second'
     WHERE id = 'pool_seat'`;
  const { pools } = await getUsage(seat);
  const now = new Date();
  const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) / 1_000;
  expect(pools).toMatchObject([
    {
      id: 'pool_seat',
      scope: 'seat',
      ownerId: seat.seatId,
      included: '1000',
      held: '100',
      remaining: '900',
      charged: '0',
      resetsAt: String(next),
    },
    {
      id: 'pool_team',
      scope: 'team',
      ownerId: seat.teamId,
      included: '500',
      held: '0',
      remaining: '500',
      charged: '0',
    },
  ]);
  expect(pools[1]?.resetsAt).toBeUndefined();
  expect((await getUsage({ accountId: 'acct_test' })).pools.map(({ id }) => id)).toEqual(['pool_account']);
  // Prevents the control plane from resetting a pool between the two statements.
  await control.sql`
    BEGIN; LOCK TABLE pools IN EXCLUSIVE MODE; DELETE FROM ledger_entries; DELETE FROM pools; COMMIT`;
});

it('a receipt names every debited pool, and what none could pay', async () => {
  await addPool('pool_seat2', `seat:${seat.seatId}`, 1_000);
  await addPool('pool_team2', `team:${seat.teamId}`, 500);
  const record = settled('2026-03-07T12:00:00.250Z', {
    ...seat,
    modelId: 'sim/paid',
    priceVersion: 3,
    held: '900',
    cost: '1800',
    attempts: [
      { providerId: 'one', httpStatus: null, errorCode: 'upstream_timeout', durationMs: 30 },
      { providerId: 'two', httpStatus: 200, errorCode: null, durationMs: 812 },
    ],
  });
  await settle(record);
  expect(await getReceipt(record.requestId, seat)).toEqual({
    requestId: record.requestId,
    owner: { ...seat, _seatId: 'seatId', _teamId: 'teamId' },
    keyId: 'key_a',
    modelId: 'sim/paid',
    capability: 'chat',
    _arrivedAtMs: 'arrivedAtMs',
    arrivedAtMs: expect.any(String),
    endedAtMs: String(Date.parse(record.endedAt)),
    _settledAtMs: 'settledAtMs',
    settledAtMs: expect.any(String),
    units: {
      ...NO_UNITS,
      inputTokens: '10',
      cachedInputTokens: '4',
      outputTokens: '20',
      images: '1',
      characters: '2',
      audioMs: '1500',
      searchUnits: '3',
    },
    clientStatus: 200,
    _clientStatus: 'clientStatus',
    usageSource: 'provider',
    _usageSource: 'usageSource',
    priceVersion: 3,
    _priceVersion: 'priceVersion',
    pricing: { input_per_million_usd: '1.00', output_per_million_usd: '2.00' },
    unpriced: [],
    parts: [],
    tags: {},
    budgets: [],
    held: '900',
    cost: '1800',
    charged: '1500',
    uncollected: '300',
    debits: [
      { poolId: 'pool_seat2', name: 'Pool pool_seat2', scope: 'seat', amount: '1000' },
      { poolId: 'pool_team2', name: 'Pool pool_team2', scope: 'team', amount: '500' },
    ],
    attempts: [
      { providerId: 'one', errorCode: 'upstream_timeout', _errorCode: 'errorCode', durationMs: 30 },
      { providerId: 'two', httpStatus: 200, _httpStatus: 'httpStatus', durationMs: 812 },
    ].map((attempt) => ({ ...attempt, estimatedUnits: null })),
    billingReason: 'completed',
  });
  expect((await getUsage(seat, { models: ['sim/paid'] })).totals?.cost).toBe('1500');
});

it('a receipt of a free request has neither price nor debits', async () => {
  const record = settled('2026-03-08T12:00:00Z', {
    usageSource: null,
    billingReason: 'upstream_failed_free',
  });
  await settle(record);
  const receipt = await getReceipt(record.requestId, { accountId: 'acct_test' });
  expect(receipt).toMatchObject({
    pricing: {},
    unpriced: [],
    parts: [],
    debits: [],
    charged: '0',
    billingReason: 'upstream_failed_free',
  });
  expect(receipt.priceVersion).toBeUndefined();
  expect(receipt.usageSource).toBeUndefined();
});

it('a receipt is shown to its payer and to administrators', async () => {
  const [ofSeat, ofAccount] = [settled('2026-03-09T12:00:00Z', seat), settled('2026-03-09T12:00:00Z')];
  await settle(ofSeat, ofAccount);
  const account = { accountId: 'acct_test' };
  const isHidden = (asked: Promise<unknown>) =>
    expect(asked).rejects.toSatisfy((error) => grpcStatus(error) === GrpcStatus.NOT_FOUND);
  await isHidden(getReceipt(ofSeat.requestId, account));
  await isHidden(getReceipt(ofAccount.requestId, seat));
  await isHidden(getReceipt(ofAccount.requestId, await addAccount('acct_curious')));
  await isHidden(getReceipt('req_000000000000000000000000', account));
  for (const { requestId } of [ofSeat, ofAccount]) {
    expect((await getReceipt(requestId, undefined, at(control.admins, 0))).requestId).toBe(requestId);
  }
});
