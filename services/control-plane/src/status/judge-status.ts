import type { ComponentStatus } from '@model-gateway/shared';

/** Fewer failures than this say nothing: one request of a quiet hour may fail without an outage. */
const MIN_FAILURES = 3;
/** Shares of answers that were failures, worst first. */
const THRESHOLDS: readonly [share: number, status: ComponentStatus][] = [
  [0.9, 'major_outage'],
  [0.25, 'partial_outage'],
  [0.05, 'degraded_performance'],
];
/** Callers give up for reasons of their own, too; so many of them do not. */
const MIN_GAVE_UP = 3;
const GAVE_UP_SHARE = 0.25;

/** How requests went; the rest of them was answered well. */
export interface AnswerCounts {
  requests: number;
  failures: number;
  /** Callers who left before the first byte, after a notable wait: neither a success nor a failure. */
  gaveUp: number;
}

/**
 * The status of a model or provider by how requests of a few minutes ended:
 *
 * | failed, of all answers | status |
 * |---|---|
 * | fewer than 3, or under 5 % | operational |
 * | 5 % or more | degraded_performance |
 * | 25 % or more | partial_outage |
 * | 90 % or more | major_outage |
 *
 * Where no request succeeded at all, or a quarter of the callers (3 at least) gave up on a silent provider, it is
 * degraded_performance at best.
 */
export function judgeStatus(counts: AnswerCounts): ComponentStatus {
  const { requests, failures, gaveUp } = counts;
  const share = failures / Math.max(1, requests - gaveUp);
  const byFailures =
    failures < MIN_FAILURES ? undefined : THRESHOLDS.find(([threshold]) => share >= threshold)?.[1];
  if (byFailures !== undefined) return byFailures;
  const isSilent = gaveUp >= MIN_GAVE_UP && gaveUp / requests >= GAVE_UP_SHARE;
  return isSilent || (requests > 0 && failures + gaveUp >= requests) ? 'degraded_performance' : 'operational';
}
