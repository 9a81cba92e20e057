import type { ComponentStatus } from '@model-gateway/shared';
import type { MinuteOutcomes, OutcomeCounts, WindowOutcomes } from './health-store.ts';
import type { HealthWindows } from './health-windows.ts';
import { judgeProbes, type Probe } from './judge-probes.ts';
import { judgeStatus } from './judge-status.ts';
import { addHistogram, emptyHistogram, percentile } from './latency-histogram.ts';

/** How a model or provider did. Null: there was nothing to measure. */
export interface HealthFigures {
  id: string;
  status: ComponentStatus;
  /** Shares between 0 and 1 of what did not fail; the error rate is the rest. */
  uptime5m: number | null;
  uptime1h: number | null;
  uptime24h: number | null;
  errorRate5m: number | null;
  /** Of completed attempts within five minutes. */
  latencyMs: Percentiles | null;
  timeToFirstTokenMs: Percentiles | null;
  requests5m: number;
}

export interface Percentiles {
  p50: number;
  p95: number;
}

export interface MeasuredOutcomes {
  /** Minutes that `sums` does not cover; the last five minutes are among them. */
  recent: readonly MinuteOutcomes[];
  sums: readonly WindowOutcomes[];
  windows: HealthWindows;
  /** What probes of providers found, by provider. */
  probes: ReadonlyMap<string, readonly Probe[]>;
}

interface Tally {
  fiveMinutes: Counts;
  hour: Counts;
  day: Counts;
  latency: number[];
  firstToken: number[];
}

interface Counts {
  requests: number;
  failures: number;
}

interface Subject {
  id: (row: { modelId: string; providerId: string }) => string;
  counts: (row: OutcomeCounts) => Counts;
}

/** A model has failed a request when its last attempt failed: a retry that helped is no failure. */
const MODELS: Subject = {
  id: ({ modelId }) => modelId,
  counts: ({ requests, failedRequests }) => ({ requests, failures: failedRequests }),
};
/** A provider has failed every attempt that failed there. */
const PROVIDERS: Subject = {
  id: ({ providerId }) => providerId,
  counts: ({ attempts, failedAttempts }) => ({ requests: attempts, failures: failedAttempts }),
};

/**
 * The figures of every model and provider with traffic in the last day, by id. A provider without any in the last five
 * minutes has the status that probes found; all figures are from traffic.
 */
export function healthFigures(outcomes: MeasuredOutcomes): {
  models: HealthFigures[];
  providers: HealthFigures[];
} {
  const providers = figuresOf(PROVIDERS, outcomes, outcomes.probes.keys()).map((provider) => {
    const probes = outcomes.probes.get(provider.id);
    return probes === undefined || provider.requests5m > 0
      ? provider
      : { ...provider, status: judgeProbes(probes) };
  });
  return { models: figuresOf(MODELS, outcomes), providers };
}

/** @param others ids that have figures even without traffic */
function figuresOf(
  subject: Subject,
  { recent, sums, windows }: MeasuredOutcomes,
  others: Iterable<string> = [],
): HealthFigures[] {
  const tallies = new Map<string, Tally>();
  const tallyOf = (id: string) => {
    const tally = tallies.get(id) ?? emptyTally();
    tallies.set(id, tally);
    return tally;
  };
  for (const id of others) tallyOf(id);
  for (const row of sums) {
    const tally = tallyOf(subject.id(row));
    add(tally.hour, subject.counts(row.hour));
    add(tally.day, subject.counts(row.day));
  }
  for (const row of recent) {
    const tally = tallyOf(subject.id(row));
    const counts = subject.counts(row);
    add(tally.hour, counts);
    add(tally.day, counts);
    if (row.minute < windows.fiveMinutes) continue;
    add(tally.fiveMinutes, counts);
    addHistogram(tally.latency, row.latencyBuckets);
    addHistogram(tally.firstToken, row.firstTokenBuckets);
  }
  return [...tallies].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, tally]) => figures(id, tally));
}

function figures(id: string, { fiveMinutes, hour, day, latency, firstToken }: Tally): HealthFigures {
  return {
    id,
    status: judgeStatus(fiveMinutes),
    uptime5m: uptime(fiveMinutes),
    uptime1h: uptime(hour),
    uptime24h: uptime(day),
    errorRate5m: share(fiveMinutes.failures, fiveMinutes),
    latencyMs: percentiles(latency),
    timeToFirstTokenMs: percentiles(firstToken),
    requests5m: fiveMinutes.requests,
  };
}

function emptyTally(): Tally {
  const nothing = () => ({ requests: 0, failures: 0 });
  return {
    fiveMinutes: nothing(),
    hour: nothing(),
    day: nothing(),
    latency: emptyHistogram(),
    firstToken: emptyHistogram(),
  };
}

function add(sum: Counts, { requests, failures }: Counts): void {
  sum.requests += requests;
  sum.failures += failures;
}

function uptime(counts: Counts): number | null {
  return share(counts.requests - counts.failures, counts);
}

/** To six decimals: more would only show how floating point works. */
function share(part: number, { requests }: Counts): number | null {
  return requests === 0 ? null : Math.round((part / requests) * 1e6) / 1e6;
}

function percentiles(histogram: readonly number[]): Percentiles | null {
  const p50 = percentile(histogram, 0.5);
  const p95 = percentile(histogram, 0.95);
  return p50 === null || p95 === null ? null : { p50, p95 };
}
