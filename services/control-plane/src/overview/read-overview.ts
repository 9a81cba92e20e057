import { overviewFigures } from './overview-figures.ts';
import { type OverviewPeriod, type OverviewPeriodName, overviewPeriod } from './overview-period.ts';
import type { BucketRow, OverviewStore } from './overview-store.ts';

/** More rows than anybody reads. */
const MAX_ROWS = 500;

export interface Overview {
  periodName: OverviewPeriodName;
  period: OverviewPeriod;
  figures: ReturnType<typeof overviewFigures>;
  /** One for each bucket of the period. */
  series: BucketRow[];
}

/** Reads figures of all accounts by provider and model, now and a week before, and over time. */
export async function readOverview(
  { overviewStore }: { overviewStore: OverviewStore },
  periodName: OverviewPeriodName,
  signal: AbortSignal,
): Promise<Overview> {
  const period = overviewPeriod(periodName, Date.now());
  const [usage, outcomes, buckets] = await Promise.all([
    overviewStore.usage(period, signal),
    overviewStore.outcomes(period, signal),
    overviewStore.series(period, signal),
  ]);
  const { models, providers, totals } = overviewFigures(usage, outcomes);
  return {
    periodName,
    period,
    figures: { totals, models: models.slice(0, MAX_ROWS), providers: providers.slice(0, MAX_ROWS) },
    series: fillBuckets(period, buckets),
  };
}

function fillBuckets({ bucketSeconds, now }: OverviewPeriod, buckets: readonly BucketRow[]): BucketRow[] {
  const byStart = new Map(buckets.map((each) => [each.bucket.getTime(), each]));
  const filled: BucketRow[] = [];
  for (let start = now.start; start < now.end; start += bucketSeconds) {
    const bucket = new Date(start * 1_000);
    filled.push(
      byStart.get(bucket.getTime()) ?? { bucket, requests: 0, charged: 0n, providerCost: 0n, errors: 0 },
    );
  }
  return filled;
}
