import type { ComponentStatus } from '@model-gateway/shared';

/** Fewer failures say nothing where some requests succeeded. */
const MIN_FAILURES = 3;
/** Shares of failed responses, worst first. */
const THRESHOLDS: readonly [share: number, status: ComponentStatus][] = [
  [0.9, 'major_outage'],
  [0.25, 'partial_outage'],
  [0.05, 'degraded_performance'],
];
const SEVERITY: readonly ComponentStatus[] = [
  'operational',
  ...THRESHOLDS.map(([, status]) => status).reverse(),
];
/** A few callers leave for their own reasons; from this many on, the provider is the likely reason. */
const MIN_GAVE_UP = 3;
const GAVE_UP_SHARE = 0.25;

export interface ResponseCounts {
  requests: number;
  failures: number;
  /** Callers who left before the first byte after a notable wait: neither success nor failure. */
  gaveUp: number;
}

/**
 * Returns the status of a model or provider, judged by how the requests of a few minutes ended:
 *
 * | failed, of all responses | status |
 * |---|---|
 * | fewer than 3, or under 5 % | operational |
 * | 5 % or more | degraded_performance |
 * | 25 % or more | partial_outage |
 * | 90 % or more | major_outage |
 *
 * It is degraded_performance at best where no request succeeded at all, or where a quarter of the callers (at
 * least 3) gave up on a silent provider.
 */
export function judgeStatus(counts: ResponseCounts): ComponentStatus {
  const { requests, failures, gaveUp } = counts;
  const share = failures / Math.max(1, requests - gaveUp);
  const byFailures =
    failures < MIN_FAILURES ? undefined : THRESHOLDS.find(([threshold]) => share >= threshold)?.[1];
  if (byFailures !== undefined) return byFailures;
  const isSilent = gaveUp >= MIN_GAVE_UP && gaveUp / requests >= GAVE_UP_SHARE;
  return isSilent || (requests > 0 && failures + gaveUp >= requests) ? 'degraded_performance' : 'operational';
}

/**
 * Judges without the account with the most failures if requests of others succeed: one account alone must
 * not make a model look broken for all.
 * @param accounts the counts of the accounts with the most failures
 */
export function judgeAccounts(counts: ResponseCounts, accounts: readonly ResponseCounts[]): ComponentStatus {
  const [first, ...rest] = accounts;
  if (first === undefined) return judgeStatus(counts);
  const worst = rest.reduce((most, each) => (each.failures > most.failures ? each : most), first);
  const others = {
    requests: counts.requests - worst.requests,
    failures: counts.failures - worst.failures,
    gaveUp: counts.gaveUp - worst.gaveUp,
  };
  const ofAll = judgeStatus(counts);
  if (others.requests <= others.failures + others.gaveUp) return ofAll;
  const ofOthers = judgeStatus(others);
  return SEVERITY.indexOf(ofOthers) < SEVERITY.indexOf(ofAll) ? ofOthers : ofAll;
}
