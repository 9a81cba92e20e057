import type { Logger } from '@model-gateway/service-kit';
import { DashboardError } from '../errors/dashboard-error.ts';
import type { ErrorCode } from '../errors/error-codes.ts';
import type { HolderAccounts } from './holder-accounts.ts';
import { cookiesSetBy } from './send-auth-response.ts';
import type { SignIn } from './sign-in.ts';
import type { UserStore } from './user-store.ts';

export interface AdmitSignInContext {
  accounts: Pick<HolderAccounts, 'admit'>;
  signIn: Pick<SignIn, 'session'>;
  userStore: Pick<UserStore, 'endSession'>;
  log: Logger;
}

/** Errors that end the session. Any other error may be gone with the next request. */
const FINAL = new Set<ErrorCode>(['account_suspended', 'sign_up_closed', 'sign_up_refused']);

/**
 * Checks, before the cookie of a new session is sent, that its account may be used. Ends the session if not.
 * @param answer the sign-in library's response, with the cookie
 * @returns `refusal`: why the account may not be used. `isNobody`: the response created no session
 */
export async function admitSignIn(
  { accounts, signIn, userStore, log }: AdmitSignInContext,
  response: Response,
): Promise<{ refusal: DashboardError | undefined; isNobody: boolean }> {
  const session = await signIn.session({ cookie: cookiesSetBy(response) });
  if (session === undefined) return { refusal: undefined, isNobody: true };
  try {
    await accounts.admit(session.user);
  } catch (error) {
    if (error instanceof DashboardError && FINAL.has(error.code)) {
      await userStore.endSession(session.id);
      return { refusal: error, isNobody: false };
    }
    log.warn({ error }, 'the account of a sign-in is looked up with its next request');
  }
  return { refusal: undefined, isNobody: false };
}
