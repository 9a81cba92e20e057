import { useQuery } from '@tanstack/react-query';
import type { ReceiptAnswer } from '../../../../wire/receipts.ts';
import { ApiError, getJson } from '../../api/client.ts';

/** A request is settled within a second. The page waits a bit longer for it. */
const RETRY_MS = 500;
const RETRIES = 7;

/**
 * Reads the receipt of a request. A request that has just ended is asked for until it is settled.
 * @param requestId undefined: none yet, so nothing is asked
 */
export function useReceipt(requestId: string | undefined) {
  return useQuery({
    queryKey: ['receipt', requestId],
    queryFn: ({ signal }) =>
      getJson<ReceiptAnswer>(`/api/requests/${encodeURIComponent(requestId ?? '')}`, {}, signal),
    enabled: requestId !== undefined,
    retry: (failures, error) => failures < RETRIES && mayPass(error),
    retryDelay: RETRY_MS,
    // A receipt never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

function mayPass(error: Error): boolean {
  return !(error instanceof ApiError) || error.status === 404 || error.status === 0 || error.status >= 500;
}
