import { useQuery } from '@tanstack/react-query';
import type { ReceiptSummary, RequestOf } from '../../../../wire/management.ts';
import { readManagement } from '../../api/management.ts';
import { queryClient } from '../../api/query-client.ts';
import { mergeRequests } from './merge-requests.ts';

type Query = NonNullable<RequestOf<'listReceipts'>['query']>;

export interface LiveRequests {
  /** Those that ended since the page was opened, newest first. */
  rows: ReceiptSummary[];
  /** More requests came than one read returns. */
  hasGap: boolean;
}

const POLL_MS = 2_000;
const PAGE_LENGTH = 200;
/** Rows that a page keeps. */
const MAX_ROWS = 1_000;
/** Requests are settled within a second of their end, and seldom later than this. */
const OVERLAP_MS = 30_000;

/** Reads the requests that end while a page is open. @param sinceMs when the page was opened */
export function useLiveRequests(query: Query, sinceMs: number, isLive: boolean) {
  const queryKey = ['live requests', query, sinceMs];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<LiveRequests> => {
      const rows = queryClient.getQueryData<LiveRequests>(queryKey)?.rows ?? [];
      const [newest] = rows;
      const fromMs = (newest === undefined ? sinceMs : Date.parse(newest.ended_at)) - OVERLAP_MS;
      const start = Math.max(Math.floor(fromMs / 1_000), Number(query.start_time ?? 0));
      const page = { ...query, start_time: String(start), limit: PAGE_LENGTH };
      const { body } = await readManagement('listReceipts', { query: page }, signal);
      return {
        rows: mergeRequests(body.data, rows).slice(0, MAX_ROWS),
        hasGap: body.data.length === PAGE_LENGTH && body.has_more,
      };
    },
    enabled: isLive,
    refetchInterval: POLL_MS,
  });
}
