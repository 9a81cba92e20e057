import type { ComponentStatus } from '@model-gateway/shared';
import type {
  AccountOutcomes,
  LastMinute,
  MinuteOutcomes,
  OutcomeCounts,
  WindowOutcomes,
} from './health-store.ts';
import type { HealthWindows } from './health-windows.ts';
import { judgeProbes, type Probe } from './judge-probes.ts';
import { judgeAccounts, type ResponseCounts } from './judge-status.ts';
import { addHistogram, emptyHistogram, percentile } from './latency-histogram.ts';

export interface HealthFigures {
  id: string;
  status: ComponentStatus;
  /** Shares of successful responses, 0 to 1. */
  success5m: number | null;
  success1h: number | null;
  success24h: number | null;
  errorRate5m: number | null;
  /** Attempts completed within five minutes. */
  latencyMs: Percentiles | null;
  timeToFirstTokenMs: Percentiles | null;
  counts: ResponseCounts;
  requests24h: number;
  /** Last minute with traffic and its own status; undefined when none is remembered. */
  lastMinute: { minute: Date; counts: ResponseCounts; status: ComponentStatus } | undefined;
  probes: readonly Probe[] | undefined;
}

export interface Percentiles {
  p50: number;
  p95: number;
}

export interface MeasuredOutcomes {
  /** Minutes not in `sums`, including the last five. */
  recent: readonly MinuteOutcomes[];
  sums: readonly WindowOutcomes[];
  /** Last minute before `recent`, per model and provider. */
  lastMinutes: readonly LastMinute[];
  windows: HealthWindows;
  probes: ReadonlyMap<string, readonly Probe[]>;
}

interface Tally {
  fiveMinutes: ResponseCounts;
  /** Counts of the five minutes by account. */
  accounts: Map<string, ResponseCounts>;
  hour: ResponseCounts;
  day: ResponseCounts;
  last: { minute: Date; counts: ResponseCounts; accounts: Map<string, ResponseCounts> } | undefined;
  latency: number[];
  firstToken: number[];
}

interface Subject {
  id: (row: { modelId: string; providerId: string }) => string;
  counts: (row: OutcomeCounts) => ResponseCounts;
}

/** A model's request fails when its last attempt fails. */
const MODELS: Subject = {
  id: ({ modelId }) => modelId,
  counts: ({ requests, failedRequests, gaveUp }) => ({ requests, failures: failedRequests, gaveUp }),
};
const PROVIDERS: Subject = {
  id: ({ providerId }) => providerId,
  counts: ({ attempts, failedAttempts, gaveUp }) => ({
    requests: attempts,
    failures: failedAttempts,
    gaveUp,
  }),
};

/**
 * Returns figures of models and providers with remembered traffic, by id. Without traffic for five minutes,
 * the status comes from the last requests or from probes.
 */
export function healthFigures(outcomes: MeasuredOutcomes): {
  models: HealthFigures[];
  providers: HealthFigures[];
} {
  const providers = computeAllFigures(PROVIDERS, outcomes, outcomes.probes.keys()).map((provider) => {
    const probes = outcomes.probes.get(provider.id);
    return probes === undefined || provider.counts.requests > 0
      ? provider
      : { ...provider, probes, status: judgeProbes(probes) };
  });
  return { models: computeAllFigures(MODELS, outcomes), providers };
}

/** @param others ids that get figures even without traffic */
function computeAllFigures(
  subject: Subject,
  { recent, sums, lastMinutes, windows }: MeasuredOutcomes,
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
  for (const row of lastMinutes) addLast(tallyOf(subject.id(row)), row, subject);
  for (const row of recent) {
    const tally = tallyOf(subject.id(row));
    const counts = subject.counts(row);
    addLast(tally, row, subject);
    add(tally.hour, counts);
    add(tally.day, counts);
    if (row.minute < windows.fiveMinutes) continue;
    add(tally.fiveMinutes, counts);
    addAccounts(tally.accounts, row.accounts, subject);
    addHistogram(tally.latency, row.latencyBuckets);
    addHistogram(tally.firstToken, row.firstTokenBuckets);
  }
  return [...tallies].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, tally]) => computeFigures(id, tally));
}

function computeFigures(
  id: string,
  { accounts, fiveMinutes, hour, day, last, latency, firstToken }: Tally,
): HealthFigures {
  const judge = (counts: ResponseCounts, of: ReadonlyMap<string, ResponseCounts>) =>
    judgeAccounts(counts, [...of.values()]);
  const lastMinute = last && {
    minute: last.minute,
    counts: last.counts,
    status: judge(last.counts, last.accounts),
  };
  return {
    id,
    status: fiveMinutes.requests > 0 ? judge(fiveMinutes, accounts) : (lastMinute?.status ?? 'operational'),
    success5m: success(fiveMinutes),
    success1h: success(hour),
    success24h: success(day),
    errorRate5m: share(fiveMinutes.failures, fiveMinutes),
    latencyMs: percentiles(latency),
    timeToFirstTokenMs: percentiles(firstToken),
    counts: fiveMinutes,
    requests24h: day.requests,
    lastMinute,
    probes: undefined,
  };
}

/** Replaces the last minute, or adds counts of the same minute at another provider or model. */
function addLast(tally: Tally, row: LastMinute, subject: Subject): void {
  const { minute } = row;
  const counts = subject.counts(row);
  if (counts.requests === 0 || (tally.last !== undefined && minute < tally.last.minute)) return;
  if (tally.last?.minute.getTime() !== minute.getTime())
    tally.last = { minute, counts: { ...NOTHING }, accounts: new Map() };
  add(tally.last.counts, counts);
  addAccounts(tally.last.accounts, row.accounts, subject);
}

function addAccounts(
  sums: Map<string, ResponseCounts>,
  accounts: AccountOutcomes,
  { counts }: Pick<Subject, 'counts'>,
): void {
  for (const [
    id,
    [attempts = 0, failedAttempts = 0, requests = 0, failedRequests = 0, gaveUp = 0],
  ] of Object.entries(accounts)) {
    const sum = sums.get(id) ?? { ...NOTHING };
    sums.set(id, sum);
    add(sum, counts({ attempts, failedAttempts, requests, failedRequests, gaveUp }));
  }
}

const NOTHING: ResponseCounts = { requests: 0, failures: 0, gaveUp: 0 };

function emptyTally(): Tally {
  return {
    fiveMinutes: { ...NOTHING },
    accounts: new Map(),
    hour: { ...NOTHING },
    day: { ...NOTHING },
    last: undefined,
    latency: emptyHistogram(),
    firstToken: emptyHistogram(),
  };
}

function add(sum: ResponseCounts, { requests, failures, gaveUp }: ResponseCounts): void {
  sum.requests += requests;
  sum.failures += failures;
  sum.gaveUp += gaveUp;
}

function success(counts: ResponseCounts): number | null {
  return share(counts.requests - counts.gaveUp - counts.failures, counts);
}

/** Rounds to six decimals. */
function share(part: number, { requests, gaveUp }: ResponseCounts): number | null {
  const answers = requests - gaveUp;
  return answers === 0 ? null : Math.round((part / answers) * 1e6) / 1e6;
}

function percentiles(histogram: readonly number[]): Percentiles | null {
  const p50 = percentile(histogram, 0.5);
  const p95 = percentile(histogram, 0.95);
  return p50 === null || p95 === null ? null : { p50, p95 };
}
