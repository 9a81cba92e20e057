import type { GetUsageResponseMessage } from '@model-gateway/contracts';
import type { HolderClient } from '../control-plane/holder-client.ts';
import { type UsagePeriod, WIDTHS, type Width } from './usage-period.ts';

export interface UsageQuestion {
  accountId: string;
  seatId: string | undefined;
  period: UsagePeriod;
  width: Width;
  groupBy: readonly ('model' | 'key')[];
}

/** The usage of a period, page by page; each page has the totals of the whole period. */
export async function* readUsage(
  holder: Pick<HolderClient, 'getHolderUsage'>,
  { accountId, seatId, period, width, groupBy }: UsageQuestion,
): AsyncGenerator<GetUsageResponseMessage> {
  const { seconds, maxLimit } = WIDTHS[width];
  let pageStart: string | undefined;
  do {
    const page: GetUsageResponseMessage = await holder.getHolderUsage({
      accountId,
      ...(seatId === undefined ? {} : { seatId }),
      startTime: period.start,
      endTime: period.end,
      bucketWidth: seconds,
      groupBy: [...groupBy],
      limit: maxLimit,
      ...(pageStart === undefined ? {} : { pageStart }),
    });
    yield page;
    pageStart = page.nextPageStart;
  } while (pageStart !== undefined);
}
