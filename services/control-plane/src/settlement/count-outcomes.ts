import { type AccountOutcomes, MAX_ACCOUNTS, type MinuteOutcomes } from '../status/health-store.ts';
import { minuteOf } from '../status/health-windows.ts';
import { bucketOf, emptyHistogram } from '../status/latency-histogram.ts';
import type { ReportedRequest } from './reported-request.ts';

/** A caller who leaves a silent provider sooner says nothing about it. */
const NOTABLE_SILENCE_MS = 5_000;

type Attempt = ReportedRequest['attempts'][number];
type Outcome = Pick<ReportedRequest, 'modelId' | 'attempts' | 'owner'>;

/**
 * Sums attempts by model, provider and minute; a fallback counts for both models. Latencies come from
 * completed attempts, because a refused connection is no fast response, and from callers who gave up on a
 * silent provider, which is no failure.
 * @param nowMs caps attempts from a clock that is ahead
 * @returns rows sorted by model, provider and minute
 */
export function countOutcomes(requests: readonly Outcome[], nowMs: number): MinuteOutcomes[] {
  const rows = new Map<string, MinuteOutcomes>();
  for (const { modelId, attempts, owner } of requests) {
    for (const [index, attempt] of attempts.entries()) {
      const minute = minuteOf(Math.min(attempt.endedAtMs, nowMs));
      const triedModelId = attempt.modelId ?? modelId;
      const key = JSON.stringify([triedModelId, attempt.providerId, minute.getTime()]);
      const row = rows.get(key) ?? emptyRow(triedModelId, attempt.providerId, minute);
      rows.set(key, row);
      count(
        row,
        attempt,
        owner.accountId,
        !attempts.slice(index + 1).some((later) => (later.modelId ?? modelId) === triedModelId),
      );
    }
  }
  for (const row of rows.values()) row.accounts = mostFailed(row.accounts);
  return [...rows.values()].sort(byKey);
}

/** Keeps the accounts with the most failures, as the database does for later batches. */
function mostFailed(accounts: AccountOutcomes): AccountOutcomes {
  const all = Object.entries(accounts);
  if (all.length <= MAX_ACCOUNTS) return accounts;
  const failures = ([, counts]: [string, number[]]) => counts[1] ?? 0;
  return Object.fromEntries(all.sort((a, b) => failures(b) - failures(a)).slice(0, MAX_ACCOUNTS));
}

function count(row: MinuteOutcomes, attempt: Attempt, accountId: string, isLast: boolean): void {
  const failed = attempt.outcome === 'failed' ? 1 : 0;
  const last = isLast ? 1 : 0;
  const silentMs = attempt.outcome === 'client_gone' ? (attempt.silentMs ?? 0) : 0;
  const gaveUp = silentMs >= NOTABLE_SILENCE_MS ? 1 : 0;
  row.attempts += 1;
  row.failedAttempts += failed;
  row.requests += last;
  row.failedRequests += failed * last;
  row.gaveUp += gaveUp;
  const before = row.accounts[accountId] ?? [];
  row.accounts[accountId] = [1, failed, last, failed * last, gaveUp].map(
    (more, index) => (before[index] ?? 0) + more,
  );
  if (gaveUp > 0) {
    increment(row.latencyBuckets, silentMs);
    if (attempt.streamed) increment(row.firstTokenBuckets, silentMs);
  }
  if (attempt.outcome === 'completed') increment(row.latencyBuckets, attempt.latencyMs);
  if (attempt.timeToFirstTokenMs !== undefined) increment(row.firstTokenBuckets, attempt.timeToFirstTokenMs);
}

function increment(histogram: number[], durationMs: number): void {
  const index = bucketOf(durationMs);
  histogram[index] = (histogram[index] ?? 0) + 1;
}

function emptyRow(modelId: string, providerId: string, minute: Date): MinuteOutcomes {
  return {
    modelId,
    providerId,
    minute,
    attempts: 0,
    failedAttempts: 0,
    requests: 0,
    failedRequests: 0,
    gaveUp: 0,
    latencyBuckets: emptyHistogram(),
    firstTokenBuckets: emptyHistogram(),
    accounts: {},
  };
}

function byKey(a: MinuteOutcomes, b: MinuteOutcomes): number {
  return (
    compare(a.modelId, b.modelId) ||
    compare(a.providerId, b.providerId) ||
    a.minute.getTime() - b.minute.getTime()
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
