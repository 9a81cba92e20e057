import { randomUUID } from 'node:crypto';
import { GrpcStatus } from '@model-gateway/contracts';
import { expect, it } from 'vitest';
import { RefusalStore } from '../../src/refusals/refusal-store.ts';
import { expectRefusal, insertAccount } from '../fixtures/administration-fixture.ts';
import { at, CALL_DEADLINE_MS, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { holderUsageOf } from '../fixtures/holder-usage-fixture.ts';

/** In the current hour, whichever it is. */
const NOW_MS = Date.now();
const HOUR_MS = 3_600_000;

const control = useControlPlanes({ count: 2 });

function refused(accountId: string, changes: Record<string, unknown> = {}) {
  return {
    owner: { accountId },
    keyId: `key_of_${accountId}`,
    modelId: 'sim/chat',
    capability: 'chat',
    status: 429,
    errorCode: 'rate_limit_exceeded',
    count: 10,
    firstAtMs: NOW_MS - 2_000,
    lastAtMs: NOW_MS - 1_000,
    ...changes,
  };
}

function report(rows: ReturnType<typeof refused>[], reportId: string = randomUUID(), plane = 0) {
  return at(control.callers, plane).call(CALL_DEADLINE_MS, 'billing', 'reportRefusals', {
    reportId,
    refused: rows,
  });
}

async function newHolder() {
  const accountId = await insertAccount(control, randomUUID());
  const { requests } = holderUsageOf(control, accountId);
  return { accountId, requests, list: async () => (await requests({ withRefused: true })).requests };
}

it('a refusal report counts once, however often and wherever it is sent', async () => {
  const { accountId, list } = await newHolder();
  const id = randomUUID();
  for (const plane of [0, 1, 0]) await report([refused(accountId)], id, plane);
  expect((await list()).map((entry) => entry.refused?.count)).toEqual([10]);
});

it('refusal reports of several data planes add up, from the first moment to the last', async () => {
  const { accountId, list } = await newHolder();
  // All within one hour, whenever the test runs.
  const hourMs = Math.floor(NOW_MS / HOUR_MS) * HOUR_MS - HOUR_MS;
  const rows = [10, 5, 20].map((minute) =>
    refused(accountId, { firstAtMs: hourMs + minute * 60_000, lastAtMs: hourMs + minute * 60_000 + 500 }),
  );
  await Promise.all(rows.map((row, index) => report([row], randomUUID(), index % 2)));
  expect(await list()).toMatchObject([
    {
      endedAtMs: String(hourMs + 20 * 60_000 + 500),
      clientStatus: 429,
      clientErrorCode: 'rate_limit_exceeded',
      refused: { count: 30, firstAtMs: String(hourMs + 5 * 60_000) },
    },
  ]);
});

it('refusals are counted by the hour', async () => {
  const { accountId, list } = await newHolder();
  const moments = [NOW_MS, NOW_MS - HOUR_MS, NOW_MS - 2 * HOUR_MS];
  await report(moments.map((ms) => refused(accountId, { firstAtMs: ms - 1, lastAtMs: ms - 1 })));
  expect(await list()).toHaveLength(3);
});

it('refusals from a clock that is ahead count as now', async () => {
  const { accountId, list } = await newHolder();
  await report([refused(accountId, { firstAtMs: NOW_MS, lastAtMs: NOW_MS + 24 * HOUR_MS })]);
  const [entry] = await list();
  expect(Number(entry?.endedAtMs)).toBeLessThanOrEqual(Date.now());
});

it('a malformed refusal report, or one from an unauthorized caller, is refused', async () => {
  const { accountId } = await newHolder();
  for (const row of [
    refused(accountId, { status: 200 }),
    refused(accountId, { count: 0 }),
    refused(accountId, { capability: 'x' }),
    refused(accountId, { errorCode: 'a\0b' }),
    refused(accountId, { owner: undefined }),
  ]) {
    await expectRefusal(report([row]), GrpcStatus.INVALID_ARGUMENT);
  }
  const asOperator = control.admin('billing', 'reportRefusals', {
    reportId: randomUUID(),
    refused: [],
  });
  await expectRefusal(asOperator, GrpcStatus.UNAUTHENTICATED);
});

it('refusals are listed only on request', async () => {
  const { accountId, requests } = await newHolder();
  await report([refused(accountId)]);
  expect((await requests()).requests).toEqual([]);
});

it('only the newest hundred refusals of a key are stored', async () => {
  const { accountId, list } = await newHolder();
  const rows = Array.from({ length: 130 }, (_, index) =>
    refused(accountId, {
      modelId: `sim/${index}`,
      lastAtMs: NOW_MS - 1_000 - index,
      firstAtMs: NOW_MS - 2_000,
    }),
  );
  const other = refused(accountId, { keyId: 'key_other' });
  await report([other]);
  await report(rows.slice(60));
  await report(rows.slice(0, 60));
  const stored = await control.sql`
      SELECT key_id, count(*)::int AS rows FROM refused_requests WHERE account_id = ${accountId} GROUP BY 1 ORDER BY 1 DESC`;
  expect(stored).toEqual([
    { key_id: 'key_other', rows: 1 },
    { key_id: `key_of_${accountId}`, rows: 100 },
  ]);
  const models = new Set((await list()).map(({ modelId }) => modelId));
  for (let index = 0; index < 99; index++) expect(models).toContain(`sim/${index}`);
});

it('refusals are deleted after a week', async () => {
  const { accountId, list } = await newHolder();
  const day = 24 * HOUR_MS;
  await report(
    [8 * day, 6 * day].map((agoMs) =>
      refused(accountId, { firstAtMs: NOW_MS - agoMs, lastAtMs: NOW_MS - agoMs }),
    ),
  );
  await new RefusalStore(control.prisma).prune();
  expect((await list()).map(({ endedAtMs }) => endedAtMs)).toEqual([String(NOW_MS - 6 * day)]);
});

it('refusals and requests are listed in one order, also over pages', async () => {
  const { accountId, requests } = await newHolder();
  await control.query(
    `INSERT INTO usage_records (
       request_id, account_id, key_id, model_id, capability, input_tokens, cached_input_tokens, output_tokens,
       images, characters, audio_ms, search_units, billing_reason, held, cost, charged, uncollected, attempts, ended_at, settlement
     )
     SELECT 'req_' || $1 || i, $1, 'key_a', 'sim/chat', 'chat', 0, 0, 0, 0, 0, 0, 0, 'completed', 0, 0, 0, 0, '[]',
       to_timestamp($2::float8 / 1000) - i * interval '1 second', 1
     FROM generate_series(0, 4) AS i`,
    [accountId, NOW_MS],
  );
  // At the moments of requests, and between them.
  const rows = [0, 1_000, 1_500, 3_500].map((agoMs, index) =>
    refused(accountId, { modelId: `sim/${index}`, firstAtMs: NOW_MS - agoMs, lastAtMs: NOW_MS - agoMs }),
  );
  await report(rows);
  const whole = (await requests({ withRefused: true })).requests.map(({ requestId }) => requestId);
  expect(whole).toHaveLength(9);
  const paged: string[] = [];
  let pageToken: string | undefined;
  do {
    const page = await requests({
      withRefused: true,
      limit: 2,
      ...(pageToken === undefined ? {} : { pageToken }),
    });
    paged.push(...page.requests.map(({ requestId }) => requestId));
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  expect(paged).toEqual(whole);
  const kinds = whole.map((id) => id.slice(0, 3));
  expect(kinds).toEqual(['req', 'ref', 'req', 'ref', 'ref', 'req', 'req', 'ref', 'req']);
});
