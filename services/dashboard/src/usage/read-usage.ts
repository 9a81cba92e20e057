import type { GetUsageResponseMessage } from '@model-gateway/contracts';
import type { UsageResponse } from '../../wire/usage.ts';
import type { HolderReads } from '../control-plane/holder-client.ts';
import type { CsvRow } from '../http/send-csv.ts';
import { type UsagePeriod, WIDTHS, type Width } from './usage-period.ts';
import { toUsageResponse } from './usage-response.ts';
import { toUsageRows } from './usage-rows.ts';

type Holder = Pick<HolderReads, 'getHolderUsage'>;

const MAX_RANKED = 1_000;

export interface UsageFilter {
  accountId: string;
  seatId: string | undefined;
  period: UsagePeriod;
  width: Width;
  groupBy: readonly ('model' | 'key')[];
  /** The label by which the summary splits sums, too. */
  group?: string | undefined;
  /** Only requests with one of these values. */
  labels: { label: string; values: string[] }[];
}

/** Reads the usage of a period page by page; each page has the totals of the whole period. */
async function* readUsage(
  holder: Holder,
  { accountId, seatId, period, width, groupBy, labels }: UsageFilter,
): AsyncGenerator<GetUsageResponseMessage> {
  const { seconds, maxLimit } = WIDTHS[width];
  let position: { pageStart?: string; pageAfter?: string } | undefined = {};
  do {
    const page: GetUsageResponseMessage = await holder.getHolderUsage({
      accountId,
      ...(seatId === undefined ? {} : { seatId }),
      startTime: period.start,
      endTime: period.end,
      bucketWidth: seconds,
      groupBy: [...groupBy],
      labels,
      limit: maxLimit,
      ...position,
    });
    yield page;
    position = positionAfter(page);
  } while (position !== undefined);
}

function positionAfter({ nextPageStart, nextPageAfter }: GetUsageResponseMessage) {
  if (nextPageStart === undefined) return undefined;
  return { pageStart: nextPageStart, ...(nextPageAfter === undefined ? {} : { pageAfter: nextPageAfter }) };
}

/** Reads the most expensive groups of the whole period as one bucket, at most a thousand. */
function readWhole(
  holder: Holder,
  { accountId, seatId, period, labels }: UsageFilter,
  groupBy: string,
): Promise<GetUsageResponseMessage> {
  return holder.getHolderUsage({
    accountId,
    ...(seatId === undefined ? {} : { seatId }),
    startTime: period.start,
    endTime: period.end,
    bucketWidth: 0,
    groupBy: [groupBy],
    labels,
    limit: MAX_RANKED,
  });
}

/** Reads the usage of a period for the site. The control plane does all sums. */
export async function readUsageSummary(holder: Holder, filter: UsageFilter): Promise<UsageResponse> {
  const { group } = filter;
  const [pages, byModel, byKey, byLabel] = await Promise.all([
    // Without groups each bucket is one row, so that all of them fit into memory.
    Array.fromAsync(readUsage(holder, { ...filter, groupBy: [] })),
    readWhole(holder, filter, 'model'),
    filter.groupBy.includes('key') ? readWhole(holder, filter, 'key') : undefined,
    group === undefined ? undefined : readWhole(holder, filter, group),
  ]);
  return toUsageResponse(pages, { byModel, byKey, byLabel });
}

/** Reads the usage of a period as CSV rows, page by page. */
export async function* readUsageRows(holder: Holder, filter: UsageFilter): AsyncGenerator<CsvRow> {
  for await (const page of readUsage(holder, filter)) yield* toUsageRows(page, filter.width);
}
