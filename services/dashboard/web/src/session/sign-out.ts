import { postJson } from '../api/client.ts';
import { queryClient, sessionKey } from '../api/query-client.ts';

/** Ends the session here and on the server, and forgets everything that was read. */
export async function signOut(): Promise<void> {
  await postJson('/api/auth/sign-out', {});
  await refreshSession();
}

/** To be called after a sign-in or a sign-out, so that the site shows it. */
export async function refreshSession(): Promise<void> {
  await queryClient.refetchQueries({ queryKey: sessionKey });
}
