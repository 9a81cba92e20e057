import { useQuery } from '@tanstack/react-query';
import type { KeysResponse } from '../../../../wire/keys.ts';
import { getJson } from '../../api/client.ts';

export const keysKey = ['keys'];

const refetchMs = 30_000;

/** Reads the account's keys, and again every 30 s for "Last used". */
export function useKeys() {
  return useQuery({
    queryKey: keysKey,
    queryFn: ({ signal }) => getJson<KeysResponse>('/api/keys', {}, signal),
    refetchInterval: refetchMs,
  });
}
