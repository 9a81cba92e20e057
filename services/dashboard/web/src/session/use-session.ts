import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { SessionResponse } from '../../../wire/session.ts';
import { getJson } from '../api/client.ts';
import { sessionKey } from '../api/query-client.ts';

/** Reads the signed-in user and the site's features. */
export function useSession() {
  const queryClient = useQueryClient();
  return useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) => readSession(queryClient, signal),
    staleTime: 60_000,
    // Somebody may have signed in or out in another tab.
    refetchOnWindowFocus: 'always',
  });
}

/** Clears the cache if the account changed, as by a sign-in in another tab. */
async function readSession(queryClient: QueryClient, signal: AbortSignal): Promise<SessionResponse> {
  const last = queryClient.getQueryData<SessionResponse>(sessionKey);
  const session = await getJson<SessionResponse>('/api/session', {}, signal);
  if (last?.user?.accountId !== session.user?.accountId) {
    queryClient.removeQueries({
      predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] && isOfAccount(queryKey),
    });
  }
  return session;
}

/** Returns false for public data. */
function isOfAccount(queryKey: readonly unknown[]): boolean {
  return queryKey[0] !== 'models' && queryKey[0] !== 'status';
}
