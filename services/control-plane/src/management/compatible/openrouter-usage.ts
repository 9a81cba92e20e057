import { getUsageReport, type UsageReportContext } from '../../usage/get-usage-report.ts';
import type { ReportFilter } from '../../usage/usage-report-store.ts';
import type { PeriodUsage } from './openrouter-key.ts';

const [MINUTE, DAY] = [60, 86_400];
/** The first of January 1970 was a Thursday. */
const MONDAY = 4 * DAY;

/** Starts of the current day, week and month (UTC), in Unix seconds. */
function periodStarts(now: number) {
  const date = new Date(now * 1_000);
  return {
    total: 0,
    day: now - (now % DAY),
    week: now - ((now - MONDAY) % (7 * DAY)),
    month: Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1_000,
  };
}

/** Sums up what each of these keys has spent. */
export async function usageOfKeys(
  context: UsageReportContext,
  keys: readonly { id: string; accountId: string }[],
  signal: AbortSignal,
): Promise<Map<string, PeriodUsage>> {
  const usage = new Map(
    keys.map(({ id }): [string, PeriodUsage] => [id, { total: 0n, day: 0n, week: 0n, month: 0n }]),
  );
  if (keys.length === 0) return usage;
  const accounts = [...new Set(keys.map(({ accountId }) => accountId))];
  await forEachPeriod(
    context,
    { keys: [...usage.keys()], accounts, labels: [] },
    signal,
    (name, { groups }) => {
      for (const { charged, key } of groups) {
        const sums = key === null ? undefined : usage.get(key);
        if (sums !== undefined) sums[name] = charged;
      }
    },
  );
  return usage;
}

/** Sums up what an account pays for, or all accounts. */
export async function usageOf(
  context: UsageReportContext,
  paidBy: string | undefined,
  signal: AbortSignal,
): Promise<bigint> {
  const request = {
    ...WHOLE,
    filter: { paidBy, labels: [] },
    period: { start: 0, end: nextMinute() },
    groupBy: [],
  };
  return (await getUsageReport(context, request, signal)).totals.charged;
}

const WHOLE = { bucketWidth: undefined, labels: [], limit: 1, page: undefined } as const;

function nextMinute(): number {
  return Math.floor(Date.now() / 1_000 / MINUTE) * MINUTE + MINUTE;
}

type Bucket = Awaited<ReturnType<typeof getUsageReport>>['buckets'][number];

async function forEachPeriod(
  context: UsageReportContext,
  filter: ReportFilter,
  signal: AbortSignal,
  add: (name: keyof PeriodUsage, bucket: Bucket) => void,
): Promise<void> {
  const { day, month, total, week } = periodStarts(Math.floor(Date.now() / 1_000));
  const starts = [
    ['total', total],
    ['day', day],
    ['week', week],
    ['month', month],
  ] as const;
  await Promise.all(
    starts.map(async ([name, start]) => {
      const period = { start, end: nextMinute() };
      const report = await getUsageReport(context, { ...WHOLE, filter, period, groupBy: ['key'] }, signal);
      for (const bucket of report.buckets) add(name, bucket);
    }),
  );
}
