import { randomUUID } from 'node:crypto';
import { GrpcStatus } from '@model-gateway/contracts';
import { settleRows, type UsageRowChanges, usageRow } from '@model-gateway/test-kit/usage-row';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseRequestQuery, type RequestQuery } from '../../src/usage/request-query.ts';
import { requestsStatement } from '../../src/usage/request-store.ts';
import { administer, expectRefusal, insertAccount } from '../fixtures/administration-fixture.ts';
import { at, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { holderUsageOf } from '../fixtures/holder-usage-fixture.ts';
import { hasFound, planOf } from '../fixtures/query-plan-fixture.ts';
import { outcomeOf, Settlement } from '../fixtures/settlement-fixture.ts';

const NOON_MS = Date.parse('2026-03-10T12:00:00Z');

const control = useControlPlanes();

function record(endedAtMs: number, changes: UsageRowChanges = {}) {
  return usageRow({
    keyId: 'key_a',
    cachedInputTokens: 4,
    outputTokens: 20,
    attempts: [
      { providerId: 'sim', httpStatus: 200, errorCode: null, durationMs: 812, timeToFirstTokenMs: 95 },
    ],
    endedAt: new Date(endedAtMs).toISOString(),
    ...changes,
  });
}

/** @returns their ids */
async function settle(...records: ReturnType<typeof record>[]): Promise<string[]> {
  await settleRows(control.query, records);
  return records.map(({ requestId }) => requestId);
}

async function newHolder() {
  const accountId = await insertAccount(control, randomUUID());
  return { accountId, ...holderUsageOf(control, accountId) };
}

const idsOf = (requests: readonly { requestId: string }[]) => requests.map(({ requestId }) => requestId);

it('a request list shows how each request ended, how long it took, and what it cost', async () => {
  const { accountId, requests } = await newHolder();
  await control.sql`
    INSERT INTO pools (id, name, owner, included, remaining) VALUES ('pool_said', 'Pool', 'account:' || ${accountId}, 1000, 1000)`;
  const failed = { providerId: 'one', httpStatus: null, errorCode: 'upstream_timeout', durationMs: 30 };
  const [streamed, refused, older] = await settle(
    record(NOON_MS, {
      accountId,
      cost: '700',
      attempts: [
        { ...failed, timeToFirstTokenMs: null },
        { providerId: 'two', httpStatus: 200, errorCode: null, durationMs: 812, timeToFirstTokenMs: 95 },
      ],
    }),
    record(NOON_MS - 1, {
      accountId,
      usageSource: null,
      billingReason: 'upstream_failed_free',
      attempts: [{ ...failed, httpStatus: 503, errorCode: 'upstream_error', timeToFirstTokenMs: null }],
    }),
    // Form from before first-token times were stored.
    record(NOON_MS - 2, {
      accountId,
      attempts: [{ providerId: 'sim', httpStatus: 200, errorCode: null, durationMs: 40 }],
    }),
  );
  const answer = await requests();
  expect(answer.nextPageToken).toBeUndefined();
  expect(answer.requests).toMatchObject([
    {
      requestId: streamed,
      endedAtMs: String(NOON_MS),
      modelId: 'sim/chat',
      capability: 'chat',
      keyId: 'key_a',
      units: { inputTokens: '10', cachedInputTokens: '4', outputTokens: '20' },
      usageSource: 'provider',
      billingReason: 'completed',
      cost: '700',
      latencyMs: 842,
      timeToFirstTokenMs: 125,
      httpStatus: 200,
    },
    { requestId: refused, cost: '0', latencyMs: 30, httpStatus: 503, errorCode: 'upstream_error' },
    { requestId: older, latencyMs: 40, httpStatus: 200 },
  ]);
  expect(answer.requests[0]?.errorCode).toBeUndefined();
  expect(answer.requests[1]?.usageSource).toBeUndefined();
  expect(answer.requests[1]?.timeToFirstTokenMs).toBeUndefined();
  expect(answer.requests[2]?.timeToFirstTokenMs).toBeUndefined();
  const { receipt } = holderUsageOf(control, accountId);
  for (const { requestId } of answer.requests)
    expect((await receipt(requestId)).receipt?.requestId).toBe(requestId);
});

it('a request list has the reported time to first token', async () => {
  const { accountId, requests } = await newHolder();
  const settlement = new Settlement(at(control.callers, 0));
  const stream = { latencyMs: 900.4, timeToFirstTokenMs: 120.6 };
  await settlement.settle([
    { ...outcomeOf('sim/chat', stream), owner: { accountId } },
    { ...outcomeOf('sim/embed', { latencyMs: 30.2, endedAtMs: Date.now() - 1_000 }), owner: { accountId } },
  ]);
  settlement.end();
  const answer = await requests();
  expect(answer.requests).toMatchObject([{ latencyMs: 900, timeToFirstTokenMs: 121 }, { latencyMs: 30 }]);
  expect(answer.requests[1]?.timeToFirstTokenMs).toBeUndefined();
});

it('each request is on exactly one page, newest first, also within one millisecond', async () => {
  const { accountId, allRequests } = await newHolder();
  const times = [0, 0, 0, 0, 0, 1, 1, 2, 3, 3, 3].map((ms) => NOON_MS + ms);
  await settle(...times.map((ms) => record(ms, { accountId })));
  const whole = await allRequests();
  expect(whole.map(({ endedAtMs }) => Number(endedAtMs))).toEqual(times.toReversed());
  for (const limit of [1, 2, 3, 11]) {
    expect(idsOf(await allRequests({ limit }))).toEqual(idsOf(whole));
  }
});

it('requests keep their place while others are settled between pages', async () => {
  const { accountId, allRequests } = await newHolder();
  const before = await settle(
    ...Array.from({ length: 25 }, (_, index) => record(NOON_MS + Math.floor(index / 3), { accountId })),
  );
  let round = 0;
  const paged = idsOf(
    await allRequests({ limit: 4 }, async () => {
      round += 1;
      await settle(
        ...[NOON_MS + 60_000 + round, NOON_MS + 4, NOON_MS - round].map((ms) => record(ms, { accountId })),
      );
    }),
  );
  expect(round).toBeGreaterThan(5);
  expect(new Set(paged).size).toBe(paged.length);
  expect(paged.filter((id) => before.includes(id)).toSorted()).toEqual(before.toSorted());
});

it('requests are filtered by period, model and key', async () => {
  const { accountId, requests } = await newHolder();
  const [first, second, third] = await settle(
    record(NOON_MS, { accountId, keyId: 'key_b' }),
    record(NOON_MS + 1, { accountId, modelId: 'sim/embed' }),
    record(NOON_MS + 2, { accountId, keyId: 'key_b', modelId: 'sim/embed' }),
  );
  const found = async (asked: object) => idsOf((await requests(asked)).requests);
  expect(await found({ startMs: NOON_MS, endMs: NOON_MS + 2 })).toEqual([second, first]);
  expect(await found({ modelId: 'sim/embed' })).toEqual([third, second]);
  expect(await found({ keyId: 'key_b' })).toEqual([third, first]);
  expect(await found({ keyId: 'key_b', modelId: 'sim/embed' })).toEqual([third]);
  expect(await found({ keyId: 'key_nowhere' })).toEqual([]);
});

it('requests show name and kind of their key and are filtered by kind, deleted playground keys included', async () => {
  const { accountId, requests } = await newHolder();
  const issued = await administer(control).createKey({ account: accountId, name: 'Nightly' });
  const ids = { demo: `key_${randomUUID()}`, playground: `key_${randomUUID()}` };
  for (const [kind, id] of Object.entries(ids)) {
    await control.query(
      `INSERT INTO api_keys (id, account_id, name, lookup_hash, display_prefix, kind, expires_at)
       VALUES ($1::text, $2, $3::text || ' key', 'v2:' || encode(sha256($1::text::bytea), 'hex'), 'gw_live_12345678', $3::text,
         CASE WHEN $3::text = 'playground' THEN now() END)`,
      [id, accountId, kind],
    );
  }
  const keyIds = [issued.id, ids.demo, ids.playground, 'key_forgotten'];
  const [one, , three, four] = await settle(
    ...keyIds.map((keyId, ms) => record(NOON_MS + ms, { accountId, keyId })),
  );
  const { requests: all } = await requests();
  expect(all.map(({ keyName, keyKind }) => [keyName, keyKind])).toEqual([
    ['Playground', 'playground'],
    ['playground key', 'playground'],
    ['demo key', 'demo'],
    ['Nightly', 'issued'],
  ]);
  const found = async (asked: object) => idsOf((await requests(asked)).requests);
  expect(await found({ keyKind: 'playground' })).toEqual([four, three]);
  expect(await found({ keyKind: 'issued' })).toEqual([one]);
  expect(await found({ keyKind: 'issued', keyId: ids.demo })).toEqual([]);
  for (const keyKind of ['demo', 'other']) {
    await expectRefusal(requests({ keyKind }), GrpcStatus.INVALID_ARGUMENT);
  }
});

it('requests on a seat are listed for that seat only, for its holder only', async () => {
  const { accountId, requests } = await newHolder();
  const admin = administer(control);
  const team = await admin.createTeam();
  const seat = await admin.addSeat(team.id, accountId);
  const [own, onSeat] = await settle(
    record(NOON_MS, { accountId }),
    record(NOON_MS + 1, { accountId, seatId: seat.id, teamId: team.id }),
  );
  expect(idsOf((await requests()).requests)).toEqual([own]);
  expect(idsOf((await requests({ seatId: seat.id })).requests)).toEqual([onSeat]);
  const stranger = await newHolder();
  for (const other of [stranger.requests, holderUsageOf(control, 'acct_test').requests]) {
    await expectRefusal(other({ seatId: seat.id }), GrpcStatus.NOT_FOUND);
  }
  await expectRefusal(requests({ seatId: 'seat_nowhere' }), GrpcStatus.NOT_FOUND);
});

it("others' requests are found neither by their key's id nor by their page token", async () => {
  const theirs = await newHolder();
  await settle(
    ...[0, 1].map((ms) => record(NOON_MS + ms, { accountId: theirs.accountId, keyId: 'key_theirs' })),
  );
  const { nextPageToken } = await theirs.requests({ limit: 1 });
  const mine = await newHolder();
  expect((await mine.requests({ keyId: 'key_theirs' })).requests).toEqual([]);
  expect((await mine.requests({ pageToken: nextPageToken ?? '' })).requests).toEqual([]);
});

describe('of 100,000 requests', () => {
  const ROWS = 100_000;
  const LIMIT = 50;

  beforeAll(async () => {
    // Half belong to one account; every tenth has another model and key.
    await control.query(
      `INSERT INTO usage_records (
         request_id, account_id, key_id, model_id, capability, input_tokens, cached_input_tokens, output_tokens, images,
         characters, audio_ms, search_units, usage_source, billing_reason, held, cost, charged, uncollected, attempts,
         ended_at, settlement
       )
       SELECT 'req_plan_' || i, 'acct_plan_' || i % 2, 'key_plan_' || i % 2 || i % 20 / 18, 'sim/plan-' || i % 20 / 18,
         'chat', 10, 0, 20, 0, 0, 0, 0, 'provider', 'completed', 0, 0, 0, 0, '[]', now() - i * interval '20 seconds', 1
       FROM generate_series(1, ${ROWS}) AS i`,
    );
    await control.sql`
      UPDATE usage_records SET account_id = 'acct_small', key_id = 'key_small' WHERE request_id LIKE 'req_plan_%000'`;
    await insertAccount(control, 'plan_0');
    await control.sql`INSERT INTO api_keys (id, account_id, name, lookup_hash, display_prefix)
       SELECT CASE i WHEN 0 THEN 'key_plan_00' ELSE 'key_many_' || i END,
         CASE WHEN i < 100 THEN 'acct_plan_0' ELSE 'acct_test' END, 'Key',
         'v2:' || encode(sha256(i::text::bytea), 'hex'), 'gw_live_12345678'
       FROM generate_series(0, 2000) AS i`;
    await control.query('VACUUM ANALYZE usage_records, api_keys');
  });

  const query = parseRequestQuery(
    {
      accountId: 'acct_plan_0',
      startMs: '0',
      endMs: String(Date.now() + 1_000),
      limit: LIMIT,
      withRefused: false,
      labels: [],
    },
    { accountId: 'acct_plan_0', memberId: undefined },
  );
  it.each<[string, Partial<RequestQuery>, read: number]>([
    ['the newest', {}, LIMIT + 1],
    [
      'a later page',
      { after: { endedAtMs: Date.now() - 86_400_000 * 5, requestId: 'req_plan_x' } },
      LIMIT + 1,
    ],
    ['those of the last week', { startMs: Date.now() - 7 * 86_400_000 }, LIMIT + 1],
    ['those of a key', { keyId: 'key_plan_01' }, LIMIT + 1],
    ['the few of a small account', { accountId: 'acct_small', limit: 101 }, 100],
    ['those of a model', { modelId: 'sim/plan-1' }, 12 * LIMIT],
    ['those of the playground', { keyKind: 'playground' }, 12 * LIMIT],
  ])('%s are read along an index, and few more rows than are listed', async (_, changes, read) => {
    const statement = requestsStatement({ ...query, ...changes });
    // Postgres uses the first mode for five runs, then maybe the second.
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await control.query(`SET plan_cache_mode = ${mode}`);
      const nodes = await planOf(control, statement);
      expect(nodes[0]?.['Actual Rows']).toBe(changes.limit === undefined ? LIMIT : read);
      const scans = nodes.filter(hasFound);
      expect(scans).not.toHaveLength(0);
      let found = 0;
      for (const scan of scans) {
        expect(scan['Index Name']).toMatch(/^usage_records_\w+_(account|key)_id_ended_at_idx$/);
        found += scan['Actual Rows'] + (scan['Rows Removed by Filter'] ?? 0);
      }
      expect(found).toBeLessThanOrEqual(read);
    }
    await control.query('RESET plan_cache_mode');
  });
});
