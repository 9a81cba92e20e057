import type { ComponentStatus } from '@model-gateway/shared';

/** Fewer failures than this say nothing: the one request of a quiet hour may fail without an outage. */
const MIN_FAILURES = 3;
/** Shares of failed requests in the last five minutes, worst first. */
const THRESHOLDS: readonly [share: number, status: ComponentStatus][] = [
  [0.9, 'major_outage'],
  [0.25, 'partial_outage'],
  [0.05, 'degraded_performance'],
];

/**
 * The status of a model or provider by how its requests of the last five minutes ended:
 *
 * | failed, of all | status |
 * |---|---|
 * | fewer than 3 requests, or under 5 % | operational |
 * | 5 % or more | degraded_performance |
 * | 25 % or more | partial_outage |
 * | 90 % or more | major_outage |
 */
export function judgeStatus({ requests, failures }: { requests: number; failures: number }): ComponentStatus {
  if (failures < MIN_FAILURES) return 'operational';
  const share = failures / requests;
  return THRESHOLDS.find(([threshold]) => share >= threshold)?.[1] ?? 'operational';
}
