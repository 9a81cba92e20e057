import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { SecurityResponse } from '../../../../wire/security.ts';
import { getJson } from '../../api/client.ts';

const securityKey = ['security'];

/** Reads the sessions, the passkeys and the app of the user. */
export function useSecurity() {
  return useQuery({
    queryKey: securityKey,
    queryFn: ({ signal }) => getJson<SecurityResponse>('/api/security', {}, signal),
  });
}

/** Makes `act` read them again, also after a failure. */
export function useSecurityRefetch<Arguments extends unknown[]>(act: (...args: Arguments) => Promise<void>) {
  const queryClient = useQueryClient();
  return async (...args: Arguments): Promise<void> => {
    try {
      await act(...args);
    } finally {
      void queryClient.invalidateQueries({ queryKey: securityKey });
    }
  };
}
