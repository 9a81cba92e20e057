import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { AdminKeysResponse } from '../../../../wire/admin-keys.ts';
import { getJson } from '../../api/client.ts';

const adminKeysKey = ['admin-keys'];

/** Reads the keys of the management API that are bound to the account. */
export function useAdminKeys() {
  return useQuery({
    queryKey: adminKeysKey,
    queryFn: ({ signal }) => getJson<AdminKeysResponse>('/api/admin-keys', {}, signal),
  });
}

/** Makes `act` read them again, also after a failure. */
export function useAdminKeysRefetch<Arguments extends unknown[]>(act: (...args: Arguments) => Promise<void>) {
  const queryClient = useQueryClient();
  return async (...args: Arguments): Promise<void> => {
    try {
      await act(...args);
    } finally {
      void queryClient.invalidateQueries({ queryKey: adminKeysKey });
    }
  };
}
