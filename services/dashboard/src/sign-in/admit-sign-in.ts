import { DashboardError } from '../errors/dashboard-error.ts';
import type { ErrorCode } from '../errors/error-codes.ts';
import type { HolderSession } from './holder-session.ts';
import type { SignInGroups } from './provider-response.ts';
import { cookiesSetBy } from './send-auth-response.ts';
import type { SignInContext } from './sign-in-context.ts';

/** Errors that end the session. Any other error may be gone with the next request. */
const FINAL = new Set<ErrorCode>(['account_suspended', 'sign_up_closed', 'sign_up_refused']);

/**
 * Checks, before the cookie of a new session is sent, that its account may be used. Ends the session if not.
 * @param response the sign-in library's, with the cookie
 * @param groups of the identity provider; a session does not begin before they are applied. Absent: none
 * @returns `session`: what the response created, if it did. `refusal`: why it was ended
 */
export async function admitSignIn(
  { accounts, signIn, sessionStore, log }: SignInContext,
  response: Response,
  groups?: SignInGroups,
): Promise<{ session?: HolderSession; refusal?: DashboardError }> {
  const session = await signIn.session({ cookie: cookiesSetBy(response) });
  if (session === undefined) return {};
  try {
    await accounts.admit(session.user, groups);
  } catch (error) {
    if (error instanceof DashboardError && (FINAL.has(error.code) || groups !== undefined)) {
      await sessionStore.end(session.user.id, session.id);
      return { session, refusal: error };
    }
    log.warn({ error }, 'cannot open the account of a sign-in now; its next request tries again');
  }
  return { session };
}
