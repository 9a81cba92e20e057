import { useQuery } from '@tanstack/react-query';
import type { KeysAnswer } from '../../../../wire/keys.ts';
import { getJson } from '../../api/client.ts';

export const keysKey = ['keys'];

const refetchMs = 30_000;

/** The account's keys. "Last used" is updated while the page is visible. */
export function useKeys() {
  return useQuery({
    queryKey: keysKey,
    queryFn: ({ signal }) => getJson<KeysAnswer>('/api/keys', {}, signal),
    refetchInterval: refetchMs,
  });
}
