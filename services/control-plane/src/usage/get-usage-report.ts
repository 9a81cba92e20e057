import { BUCKET_WIDTHS, MAX_LABELS, type UsageLabel } from '@model-gateway/shared';
import { invalidArgument } from '../errors/control-plane-error.ts';
import type { Period } from '../roll-ups/usage-sums-store.ts';
import { bucketPage } from './bucket-page.ts';
import { type CutPage, cutPage } from './cut-page.ts';
import { isSummedByLabel, labelsAsked } from './label-query.ts';
import { decodeReportCursor, encodeReportCursor } from './report-cursor.ts';
import type { UsageSums } from './usage-page-store.ts';
import { MAX_GROUPS, requireMinutes, widenPeriod } from './usage-query.ts';
import {
  REPORT_GROUPINGS,
  type ReportFilter,
  type ReportGrouping,
  type ReportQuery,
  type ReportRow,
  type UsageReportStore,
} from './usage-report-store.ts';
import type { UsageStore } from './usage-store.ts';

export interface UsageReportContext {
  usageReportStore: Pick<UsageReportStore, 'page'>;
  usageStore: Pick<UsageStore, 'minutesSince'>;
}

export interface UsageReportRequest {
  filter: ReportFilter;
  /** Unix seconds; a page has its own. */
  period: Period;
  /** Undefined: the period is one bucket. */
  bucketWidth: keyof typeof BUCKET_WIDTHS | undefined;
  groupBy: readonly ReportGrouping[];
  labels: readonly UsageLabel[];
  /** Buckets per page. */
  limit: number;
  page: string | undefined;
}

export interface UsageReport {
  period: Period;
  totals: UsageSums;
  buckets: CutPage<ReportRow>['buckets'];
  /** Null: this is the last page. */
  nextPage: string | null;
}

/**
 * Returns one page of the usage of any accounts, and the totals of the period.
 * @throws ControlPlaneError invalid_argument
 */
export async function getUsageReport(
  { usageReportStore, usageStore }: UsageReportContext,
  request: UsageReportRequest,
  signal: AbortSignal,
): Promise<UsageReport> {
  const { bucketWidth, filter, labels } = request;
  const width = bucketWidth === undefined ? 0 : BUCKET_WIDTHS[bucketWidth].seconds;
  const groupBy = new Set(request.groupBy);
  const from =
    request.page === undefined ? undefined : readCursor(request.page, groupBy.size + labels.length);
  const asked = from?.period ?? request.period;
  if (asked.start >= asked.end) throw invalidArgument('start_time must be before end_time');
  const { minutesSince } = usageStore;
  requireMinutes(width, asked.start, minutesSince);
  const byLabel = labelsAsked(labels, filter.labels);
  if (byLabel.length > MAX_LABELS) throw invalidArgument(`a query may name at most ${MAX_LABELS} labels`);
  const byKey = groupBy.has('key') || filter.keys !== undefined;
  const isByDay = width === 0 || bucketWidth === '1d';
  const isSummed = isSummedByLabel(labels, filter.labels, { byKey, isByDay });
  const period = widenPeriod(asked, minutesSince, { labels: byLabel, isSummed });
  const query: ReportQuery = { filter, period, width, groupBy, labels, isSummed };
  const wanted = bucketPage(period, { width, limit: request.limit, pageStart: from?.start });
  const { totals, groups } = await usageReportStore.page(
    query,
    { buckets: wanted.buckets, after: from?.after, limit: MAX_GROUPS + 1 },
    signal,
  );
  const page = cutPage(wanted, groups, MAX_GROUPS);
  return {
    period,
    totals,
    buckets: page.buckets,
    nextPage:
      page.nextStart === undefined
        ? null
        : encodeReportCursor({
            period,
            start: page.nextStart,
            after: page.nextAfter && valuesOf(page.nextAfter, query),
          }),
  };
}

function readCursor(page: string, groupings: number) {
  const cursor = decodeReportCursor(page, groupings);
  if (cursor === undefined) throw invalidArgument('page must be the next_page of the page before');
  return cursor;
}

function valuesOf(row: ReportRow, { groupBy }: ReportQuery): string[] {
  const named = REPORT_GROUPINGS.filter((name) => groupBy.has(name)).map((name) => row[name] ?? '');
  return [...named, ...(row.labels ?? [])];
}
