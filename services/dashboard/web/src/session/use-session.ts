import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { SessionAnswer } from '../../../wire/session.ts';
import { getJson } from '../api/client.ts';
import { sessionKey } from '../api/query-client.ts';

/** Queries the signed-in user and the site's features. */
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

/** If the account changed, as by a sign-in in another tab, nothing of the previous one may be shown. */
async function readSession(queryClient: QueryClient, signal: AbortSignal): Promise<SessionAnswer> {
  const last = queryClient.getQueryData<SessionAnswer>(sessionKey);
  const session = await getJson<SessionAnswer>('/api/session', {}, signal);
  if (last?.user?.accountId !== session.user?.accountId) {
    queryClient.removeQueries({
      predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] && isOfAccount(queryKey),
    });
  }
  return session;
}

/** Returns true if an answer belongs to the account. Answers that everybody may see are kept. */
function isOfAccount(queryKey: readonly unknown[]): boolean {
  return queryKey[0] !== 'models' && queryKey[0] !== 'status';
}
