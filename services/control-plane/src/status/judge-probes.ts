import type { ComponentStatus } from '@model-gateway/shared';

/** A single failed probe is not yet an outage. */
const DOWN_AFTER_FAILURES = 2;

export interface Probe {
  outcome: 'ok' | 'refused' | 'failed';
  failures: number;
  /** Start of the current outcome. */
  changedAt: Date;
}

/**
 * The status of a provider without traffic, by what each data plane sees of it:
 *
 * | probes | status |
 * |---|---|
 * | all answered | operational |
 * | one failed once, or our credential is refused | degraded_performance |
 * | some data planes fail twice in a row | partial_outage |
 * | all of them do | major_outage |
 *
 * @param probes at least one
 */
export function judgeProbes(probes: readonly Probe[]): ComponentStatus {
  const down = probes.filter(({ failures }) => failures >= DOWN_AFTER_FAILURES).length;
  if (down === probes.length) return 'major_outage';
  if (down > 0) return 'partial_outage';
  return probes.some(({ outcome }) => outcome !== 'ok') ? 'degraded_performance' : 'operational';
}
