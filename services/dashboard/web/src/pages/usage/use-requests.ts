import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { RequestsAnswer, RequestsQuery } from '../../../../wire/requests.ts';
import { getJson } from '../../api/client.ts';

const LIVE_REFRESH_MS = 3_000;

interface RequestsQuestion {
  fromMs: number;
  toMs: number;
  seatId: string | undefined;
  model: string | undefined;
  keyId: string | undefined;
  limit: number;
  /** Undefined: the page with the newest requests. */
  page: string | undefined;
}

/**
 * @param question undefined: nothing is asked
 * @param isLive new requests may come in; older pages stay as they are
 */
export function useRequests(question: RequestsQuestion | undefined, isLive: boolean) {
  const query: { [Name in keyof RequestsQuery]?: string | number | undefined } = { ...question };
  return useQuery({
    queryKey: ['requests', query],
    queryFn: ({ signal }) => getJson<RequestsAnswer>('/api/requests', query, signal),
    enabled: question !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: isLive && question?.page === undefined ? LIVE_REFRESH_MS : false,
  });
}
