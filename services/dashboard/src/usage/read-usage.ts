import type { GetUsageResponseMessage } from '@model-gateway/contracts';
import type { HolderClient } from '../control-plane/holder-client.ts';
import { type UsagePeriod, WIDTHS, type Width } from './usage-period.ts';

const MAX_RANKED = 1_000;

export interface UsageFilter {
  accountId: string;
  seatId: string | undefined;
  period: UsagePeriod;
  width: Width;
  groupBy: readonly ('model' | 'key')[];
}

/** Reads the usage of a period page by page; each page has the totals of the whole period. */
export async function* readUsage(
  holder: Pick<HolderClient, 'getHolderUsage'>,
  { accountId, seatId, period, width, groupBy }: UsageFilter,
): AsyncGenerator<GetUsageResponseMessage> {
  const { seconds, maxLimit } = WIDTHS[width];
  let place: { pageStart?: string; pageAfter?: string } | undefined = {};
  do {
    const page: GetUsageResponseMessage = await holder.getHolderUsage({
      accountId,
      ...(seatId === undefined ? {} : { seatId }),
      startTime: period.start,
      endTime: period.end,
      bucketWidth: seconds,
      groupBy: [...groupBy],
      limit: maxLimit,
      ...place,
    });
    yield page;
    place = placeAfter(page);
  } while (place !== undefined);
}

function placeAfter({ nextPageStart, nextPageAfter }: GetUsageResponseMessage) {
  if (nextPageStart === undefined) return undefined;
  return { pageStart: nextPageStart, ...(nextPageAfter === undefined ? {} : { pageAfter: nextPageAfter }) };
}

/** Reads the most expensive groups of the whole period as one bucket, at most a thousand. */
export function readWhole(
  holder: Pick<HolderClient, 'getHolderUsage'>,
  { accountId, seatId, period }: UsageFilter,
  groupBy: 'model' | 'key',
): Promise<GetUsageResponseMessage> {
  return holder.getHolderUsage({
    accountId,
    ...(seatId === undefined ? {} : { seatId }),
    startTime: period.start,
    endTime: period.end,
    bucketWidth: 0,
    groupBy: [groupBy],
    limit: MAX_RANKED,
  });
}
