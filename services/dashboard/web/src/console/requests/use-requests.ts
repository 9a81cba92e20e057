import { useEffect } from 'react';
import type { RequestOf } from '../../../../wire/management.ts';
import { useManagementList } from '../../api/use-management.ts';
import { mergeRequests } from './merge-requests.ts';
import { useLiveRequests } from './use-live-requests.ts';

/**
 * Reads the requests that match a query page by page, and those that end meanwhile.
 * @param openedMs when the filters were chosen
 */
export function useRequests(
  query: NonNullable<RequestOf<'listReceipts'>['query']>,
  openedMs: number,
  { isLive, isShown }: { isLive: boolean; isShown: boolean },
) {
  const list = useManagementList('listReceipts', { query }, { enabled: isShown });
  const live = useLiveRequests(query, openedMs, isLive && list.data !== undefined);
  const { refetch } = list;
  const hasGap = live.data?.hasGap ?? false;
  useEffect(() => {
    if (hasGap) void refetch();
  }, [hasGap, refetch]);
  const listed = list.data?.pages.flatMap(({ data }) => data);
  return { list, rows: listed && mergeRequests(live.data?.rows ?? [], listed), liveError: live.error };
}
