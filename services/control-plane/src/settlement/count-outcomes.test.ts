import { expect, it } from 'vitest';
import { bucketOf } from '../status/latency-histogram.ts';
import { countOutcomes } from './count-outcomes.ts';
import type { ReportedRequest } from './reported-request.ts';

const NOW_MS = Date.parse('2026-11-21T10:00:30Z');
type Attempt = ReportedRequest['attempts'][number];

function request(modelId: string, ...attempts: Partial<Attempt>[]) {
  const standard: Attempt = {
    providerId: 'p',
    outcome: 'completed',
    latencyMs: 100,
    endedAtMs: NOW_MS,
    streamed: false,
  };
  const owner = { accountId: 'a', seatId: undefined, teamId: undefined };
  return { modelId, owner, attempts: attempts.map((attempt) => ({ ...standard, ...attempt })) };
}

const rowsOf = (...requests: ReturnType<typeof request>[]) => countOutcomes(requests, NOW_MS);
const total = (histogram: readonly number[] = []) => histogram.reduce((sum, each) => sum + each, 0);

it('a request counts where its last attempt was, and every attempt where it was made', () => {
  const rows = rowsOf(
    request('m', { providerId: 'b', outcome: 'failed' }, { providerId: 'a' }),
    request('m', { providerId: 'b', outcome: 'failed' }),
  );
  expect(rows).toMatchObject([
    { providerId: 'a', attempts: 1, failedAttempts: 0, requests: 1, failedRequests: 0 },
    { providerId: 'b', attempts: 2, failedAttempts: 2, requests: 1, failedRequests: 1 },
  ]);
});

it('a request that fell back to another model counts for both', () => {
  const rows = rowsOf(request('m', { modelId: 'first', outcome: 'failed' }, { providerId: 'a' }));
  expect(rows).toMatchObject([
    { modelId: 'first', providerId: 'p', attempts: 1, failedAttempts: 1, requests: 1, failedRequests: 1 },
    { modelId: 'm', providerId: 'a', attempts: 1, failedAttempts: 0, requests: 1, failedRequests: 0 },
  ]);
});

it('a provider is not blamed when the client left or the gateway cut the attempt', () => {
  const [row] = rowsOf(request('m', { outcome: 'client_gone' }), request('m', { outcome: 'cut' }));
  expect(row).toMatchObject({ attempts: 2, failedAttempts: 0, requests: 2, failedRequests: 0 });
});

it('completed attempts count for latency, every first token for time to first token', () => {
  const [row] = rowsOf(
    request('m', { latencyMs: 500, timeToFirstTokenMs: 50 }),
    request('m', { outcome: 'client_gone', latencyMs: 3, timeToFirstTokenMs: 50 }),
    request('m', { outcome: 'failed', latencyMs: 1 }),
  );
  expect(total(row?.latencyBuckets)).toBe(1);
  expect(row?.latencyBuckets[bucketOf(500)]).toBe(1);
  expect(row?.firstTokenBuckets[bucketOf(50)]).toBe(2);
});

it('callers who gave up on a silent provider count as its slowness, not its failure', () => {
  const [row] = rowsOf(
    request('m', { outcome: 'client_gone', latencyMs: 30_000, silentMs: 30_000, streamed: true }),
    request('m', { outcome: 'client_gone', latencyMs: 9_000, silentMs: 8_000 }),
  );
  expect(row).toMatchObject({ requests: 2, failedRequests: 0, failedAttempts: 0, gaveUp: 2 });
  expect(row?.latencyBuckets[bucketOf(30_000)]).toBe(1);
  expect(row?.latencyBuckets[bucketOf(8_000)]).toBe(1);
  expect(total(row?.firstTokenBuckets)).toBe(1);
  expect(row?.firstTokenBuckets[bucketOf(30_000)]).toBe(1);
});

it('silence does not count when the caller left soon, or after the response had begun', () => {
  const [row] = rowsOf(
    request('m', { outcome: 'client_gone', latencyMs: 4_999, silentMs: 4_999 }),
    request('m', { outcome: 'client_gone', latencyMs: 60_000, timeToFirstTokenMs: 50 }),
  );
  expect(row).toMatchObject({ requests: 2, gaveUp: 0 });
  expect(total(row?.latencyBuckets)).toBe(0);
});

it('each minute is counted by itself, and an end time in the future counts as now', () => {
  const rows = rowsOf(
    request('m', { endedAtMs: NOW_MS - 60_000 }),
    request('m', { endedAtMs: NOW_MS + 3_600_000 }),
    request('m', { endedAtMs: NOW_MS }),
  );
  expect(rows.map(({ minute, requests }) => [minute.toISOString(), requests])).toEqual([
    ['2026-11-21T09:59:00.000Z', 1],
    ['2026-11-21T10:00:00.000Z', 2],
  ]);
});

it('rows are sorted, so that two batches never deadlock', () => {
  const requests = [request('n', {}), request('m', { providerId: 'z' }, { providerId: 'a' })];
  const keys = (rows: ReturnType<typeof rowsOf>) => rows.map((row) => [row.modelId, row.providerId]);
  expect(keys(rowsOf(...requests))).toEqual([
    ['m', 'a'],
    ['m', 'z'],
    ['n', 'p'],
  ]);
  expect(keys(rowsOf(...requests.toReversed()))).toEqual(keys(rowsOf(...requests)));
});

it('a row names at most 32 accounts: those with the most failures', () => {
  const requests = Array.from({ length: 40 }, (_, index) => ({
    ...request('m', { outcome: index < 8 ? 'completed' : 'failed' }),
    owner: { accountId: `a${index}`, seatId: undefined, teamId: undefined },
  }));
  const [row] = countOutcomes(requests, NOW_MS);
  expect(Object.keys(row?.accounts ?? {}).sort()).toEqual(
    Array.from({ length: 32 }, (_, index) => `a${index + 8}`).sort(),
  );
  expect(row?.accounts.a8).toEqual([1, 1, 1, 1, 0]);
});
