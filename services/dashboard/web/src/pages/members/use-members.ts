import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { MembersResponse } from '../../../../wire/members.ts';
import { getJson } from '../../api/client.ts';

const membersKey = ['members'];

/** Reads the members of the account and its open invitations. @param isNeeded false: sends no request */
export function useMembers(isNeeded = true) {
  return useQuery({
    queryKey: membersKey,
    queryFn: ({ signal }) => getJson<MembersResponse>('/api/members', {}, signal),
    enabled: isNeeded,
  });
}

/** Makes `act` read them again, also after a failure. */
export function useMembersRefetch<Arguments extends unknown[]>(act: (...args: Arguments) => Promise<void>) {
  const queryClient = useQueryClient();
  return async (...args: Arguments): Promise<void> => {
    try {
      await act(...args);
    } finally {
      void queryClient.invalidateQueries({ queryKey: membersKey });
    }
  };
}
