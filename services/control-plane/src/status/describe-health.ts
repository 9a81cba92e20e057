import { type ComponentStatus, type HealthState, utcMinute } from '@model-gateway/shared';
import type { Probe } from './judge-probes.ts';
import type { ResponseCounts } from './judge-status.ts';

export interface HealthFacts {
  status: ComponentStatus;
  counts: ResponseCounts;
  /** Last minute with traffic, ever; undefined when none is remembered. */
  lastMinute: { minute: Date; counts: ResponseCounts; status: ComponentStatus } | undefined;
  /** Probe results; undefined when not probed, or with traffic. */
  probes: readonly Probe[] | undefined;
  /** Start of the trouble; undefined when well or unknown. */
  since: Date | undefined;
}

export interface HealthDescription {
  state: HealthState;
  /** Null: nothing to say. */
  sentence: string | null;
}

/**
 * Describes a model or provider. Five minutes without traffic never make it operational: it keeps its last
 * status, or has no traffic.
 */
export function describeHealth(facts: HealthFacts, nowMs: number): HealthDescription {
  const { counts, lastMinute, probes, status } = facts;
  if (counts.requests > 0) return { state: status, sentence: describeTraffic(facts, nowMs) };
  if (probes !== undefined) return { state: status, sentence: describeProbes(facts, probes, nowMs) };
  if (lastMinute === undefined) return { state: 'no_traffic', sentence: 'No traffic so far.' };
  const idle = `No traffic since ${utcMinute(lastMinute.minute.getTime(), nowMs)}`;
  if (status === 'operational') return { state: 'no_traffic', sentence: `${idle}.` };
  return {
    state: 'failed_when_last_asked',
    sentence: `${idle}, and ${describeLastResponses(facts, nowMs)}.`,
  };
}

function describeTraffic({ counts, since, status }: HealthFacts, nowMs: number): string | null {
  if (status === 'operational') return null;
  const { requests, failures, gaveUp } = counts;
  const when = since === undefined ? '' : ` since ${utcMinute(since.getTime(), nowMs)}`;
  const silent = `${gaveUp} of ${countCallers(requests)} gave up before the first byte`;
  if (failures === 0) return `Slow${when}, ${silent} in the last 5 minutes.`;
  const failed = `${failures} of ${countAnswers(requests - gaveUp)} in the last 5 minutes failed`;
  return `Failing${when}, ${failed}${gaveUp === 0 ? '' : `, and ${silent}`}.`;
}

function describeProbes({ lastMinute, since, status }: HealthFacts, probes: readonly Probe[], nowMs: number) {
  const failing = lastMinute !== undefined && lastMinute.status !== 'operational';
  if (status === 'operational') {
    if (!failing) return null;
    const idle = `No traffic since ${utcMinute(lastMinute.minute.getTime(), nowMs)}`;
    return `${idle}, when the last answers failed, but free probes are answered.`;
  }
  const when = since === undefined ? '' : ` since ${utcMinute(since.getTime(), nowMs)}`;
  const isRefused = probes.some(({ outcome }) => outcome === 'refused');
  return isRefused
    ? `The credential of the gateway is refused${when}, as free probes show.`
    : `Free probes fail${when}, and there is no traffic.`;
}

function describeLastResponses({ lastMinute, since }: HealthFacts, nowMs: number): string {
  if (lastMinute === undefined) return 'the last answers failed';
  const { failures, gaveUp, requests } = lastMinute.counts;
  const began =
    since === undefined || since >= lastMinute.minute ? '' : `, from ${utcMinute(since.getTime(), nowMs)} on`;
  if (failures === 0) return `the last callers gave up before the first byte${began}`;
  if (failures + gaveUp < requests)
    return `${failures} of the last ${countAnswers(requests - gaveUp)} failed${began}`;
  return `${failures === 1 ? 'the last answer' : 'the last answers'} failed${began}`;
}

function countAnswers(count: number): string {
  return `${count} ${count === 1 ? 'answer' : 'answers'}`;
}

function countCallers(count: number): string {
  return `${count} ${count === 1 ? 'caller' : 'callers'}`;
}
