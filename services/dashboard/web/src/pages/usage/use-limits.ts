import { useQuery } from '@tanstack/react-query';
import type { LimitsResponse } from '../../../../wire/limits.ts';
import { getJson } from '../../api/client.ts';

const REFRESH_MS = 5_000;

/** Reads the limits of the account's keys and their current use. */
export function useLimits() {
  return useQuery({
    queryKey: ['limits'],
    queryFn: ({ signal }) => getJson<LimitsResponse>('/api/limits', {}, signal),
    refetchInterval: REFRESH_MS,
  });
}
