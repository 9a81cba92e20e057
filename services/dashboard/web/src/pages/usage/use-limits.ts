import { useQuery } from '@tanstack/react-query';
import type { LimitsAnswer } from '../../../../wire/limits.ts';
import { getJson } from '../../api/client.ts';

const REFRESH_MS = 5_000;

/** The limits of the account's keys, and how much of them is used at the moment. */
export function useLimits() {
  return useQuery({
    queryKey: ['limits'],
    queryFn: ({ signal }) => getJson<LimitsAnswer>('/api/limits', {}, signal),
    refetchInterval: REFRESH_MS,
  });
}
