import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { RequestsQuery, RequestsResponse } from '../../../../wire/requests.ts';
import { getJson } from '../../api/client.ts';

const LIVE_REFRESH_MS = 3_000;

interface RequestsPage {
  fromMs: number;
  toMs: number;
  seatId: string | undefined;
  model: string | undefined;
  keyId: string | undefined;
  label: string | undefined;
  value: string | undefined;
  limit: number;
  /** Undefined: the page with the newest requests. */
  page: string | undefined;
}

/**
 * Reads a page of requests.
 * @param wanted undefined: sends no request
 * @param isLive refreshes the newest page
 */
export function useRequests(wanted: RequestsPage | undefined, isLive: boolean) {
  const query: { [Name in keyof RequestsQuery]?: string | number | undefined } = { ...wanted };
  return useQuery({
    queryKey: ['requests', query],
    queryFn: ({ signal }) => getJson<RequestsResponse>('/api/requests', query, signal),
    enabled: wanted !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: isLive && wanted?.page === undefined ? LIVE_REFRESH_MS : false,
  });
}
