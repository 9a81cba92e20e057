import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { SessionAnswer } from '../../../wire/session.ts';
import { getJson } from '../api/client.ts';
import { sessionKey } from '../api/query-client.ts';

/** Who is signed in, and what the site offers: the query itself, as it may be under way or have failed. */
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

/** Another account, as after a sign-in in another tab, must not be shown anything of the last one. */
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

/** What everybody may see is kept. */
function isOfAccount(queryKey: readonly unknown[]): boolean {
  return queryKey[0] !== 'models' && queryKey[0] !== 'status';
}
