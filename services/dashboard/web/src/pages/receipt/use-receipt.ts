import { useQuery } from '@tanstack/react-query';
import type { ReceiptResponse } from '../../../../wire/receipts.ts';
import { ApiError, getJson } from '../../api/client.ts';
import { isTransient } from '../../api/query-client.ts';

/** Retries for 3.5 s, because a request is settled within a second of its end. */
const RETRY_MS = 500;
const RETRIES = 7;

/** Reads the receipt of a request, and retries while it may not be settled yet. */
export function useReceipt(requestId: string | undefined) {
  return useQuery({
    queryKey: ['receipt', requestId],
    queryFn: ({ signal }) =>
      getJson<ReceiptResponse>(`/api/requests/${encodeURIComponent(requestId ?? '')}`, {}, signal),
    enabled: requestId !== undefined,
    retry: (failures, error) => failures < RETRIES && mayPass(error),
    retryDelay: RETRY_MS,
    // A receipt never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

function mayPass(error: Error): boolean {
  return isTransient(error) || (error instanceof ApiError && error.status === 404);
}
