import { postJson } from '../api/client.ts';
import { queryClient, sessionKey } from '../api/query-client.ts';

/** Ends the session. Reading it again clears the cached data of the account (use-session.ts). */
export async function signOut(): Promise<void> {
  await postJson('/api/auth/sign-out', {});
  await refreshSession();
}

/** Reads the session again, after a sign-in or a sign-out. */
export async function refreshSession(): Promise<void> {
  await queryClient.refetchQueries({ queryKey: sessionKey });
}
