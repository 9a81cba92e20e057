import { addHistogram, emptyHistogram, percentile } from '../status/latency-histogram.ts';
import type { OutcomeRow, UsageRow } from './overview-store.ts';

export interface Percentiles {
  p50: number;
  p95: number;
}

export interface OverviewFigures {
  requests: number;
  /** Nano-USD. */
  charged: bigint;
  providerCost: bigint;
  errors: number;
  /** Share of the responses; null: there were none. */
  errorRate: number | null;
  latencyMs: Percentiles | null;
  timeToFirstTokenMs: Percentiles | null;
}

export interface OverviewRow {
  id: string;
  now: OverviewFigures;
  /** Null: nothing is known of that time. */
  previous: OverviewFigures | null;
}

interface Tally {
  requests: number;
  charged: bigint;
  providerCost: bigint;
  responses: number;
  errors: number;
  latency: number[];
  firstToken: number[];
  isEmpty: boolean;
}

interface Subject {
  id: (row: { modelId: string; providerId: string }) => string;
  /** Responses and failures that count for it. */
  outcomes: (row: OutcomeRow) => { responses: number; errors: number };
}

/** A model's request fails when its last attempt with the model fails. */
const byRequests: Subject['outcomes'] = ({ requests, failedRequests, gaveUp }) => ({
  responses: requests - gaveUp,
  errors: failedRequests,
});
const TOTALS: Subject = { id: () => '', outcomes: byRequests };
const MODELS: Subject = { id: ({ modelId }) => modelId, outcomes: byRequests };
/** Each failed attempt counts, even if another provider then answered. */
const PROVIDERS: Subject = {
  id: ({ providerId }) => providerId,
  outcomes: ({ attempts, failedAttempts, gaveUp }) => ({
    responses: attempts - gaveUp,
    errors: failedAttempts,
  }),
};

/** Adds up figures of everything, and of each provider and model with requests, busiest first. */
export function overviewFigures(usage: readonly UsageRow[], outcomes: readonly OutcomeRow[]) {
  const [totals] = rowsOf(TOTALS, usage, outcomes);
  return {
    totals: totals ?? { id: '', now: figuresOf(emptyTally()), previous: null },
    providers: rowsOf(PROVIDERS, usage, outcomes).filter(({ id }) => id !== ''),
    models: rowsOf(MODELS, usage, outcomes),
  };
}

function rowsOf(
  subject: Subject,
  usage: readonly UsageRow[],
  outcomes: readonly OutcomeRow[],
): OverviewRow[] {
  const tallies = new Map<string, { now: Tally; previous: Tally }>();
  const tallyOf = (row: UsageRow | OutcomeRow) => {
    const id = subject.id(row);
    const both = tallies.get(id) ?? { now: emptyTally(), previous: emptyTally() };
    tallies.set(id, both);
    const tally = row.isNow ? both.now : both.previous;
    tally.isEmpty = false;
    return tally;
  };
  for (const row of usage) {
    const tally = tallyOf(row);
    tally.requests += row.requests;
    tally.charged += row.charged;
    tally.providerCost += row.providerCost;
  }
  for (const row of outcomes) {
    const tally = tallyOf(row);
    const { errors, responses } = subject.outcomes(row);
    tally.errors += errors;
    tally.responses += responses;
    addHistogram(tally.latency, row.latency);
    addHistogram(tally.firstToken, row.firstToken);
  }
  return [...tallies]
    .map(([id, { now, previous }]) => ({
      id,
      now: figuresOf(now),
      previous: previous.isEmpty ? null : figuresOf(previous),
    }))
    .sort((a, b) => b.now.requests - a.now.requests || b.now.errors - a.now.errors || (a.id < b.id ? -1 : 1));
}

function figuresOf({
  charged,
  errors,
  firstToken,
  latency,
  providerCost,
  requests,
  responses,
}: Tally): OverviewFigures {
  return {
    requests,
    charged,
    providerCost,
    errors,
    errorRate: responses <= 0 ? null : Math.round((errors / responses) * 1e6) / 1e6,
    latencyMs: percentilesOf(latency),
    timeToFirstTokenMs: percentilesOf(firstToken),
  };
}

function percentilesOf(histogram: readonly number[]): Percentiles | null {
  const [p50, p95] = [percentile(histogram, 0.5), percentile(histogram, 0.95)];
  return p50 === null || p95 === null ? null : { p50, p95 };
}

function emptyTally(): Tally {
  return {
    requests: 0,
    charged: 0n,
    providerCost: 0n,
    responses: 0,
    errors: 0,
    latency: emptyHistogram(),
    firstToken: emptyHistogram(),
    isEmpty: true,
  };
}
