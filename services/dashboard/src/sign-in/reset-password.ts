import { DashboardError } from '../errors/dashboard-error.ts';
import { resetLinkUsedUp } from '../errors/sign-in-errors.ts';
import type { SignInChange } from './sign-in-change-store.ts';
import type { SignInContext } from './sign-in-context.ts';
import { clientAndUserLimit, userLimit } from './sign-in-limits.ts';
import { newSignInId } from './user-store.ts';

type RequestOrigin = Pick<SignInChange, 'clientIp' | 'requestId'>;

const ATTEMPTS_PER_CLIENT = 10;
const PASSWORD_RESET = 'password.reset';

/**
 * Sets the password of the user that a reset link belongs to and ends its sessions. A mailed link proves the
 * address: if it was unverified so far, a new user replaces the old one and gets the account with its keys.
 * @param client the group of the client's address, for the limit of attempts
 * @param origin the request, for the audit log
 * @throws DashboardError not_found, rate_limit_exceeded, service_unavailable
 */
export async function resetPassword(
  context: SignInContext,
  { token, password }: { token: string; password: string },
  client: string,
  origin: RequestOrigin,
): Promise<void> {
  const { attemptStore, signIn } = context;
  // Also fails early if the database is down: redeeming the link first would use it up.
  await attemptStore.count({ action: 'password-reset', subject: client, max: ATTEMPTS_PER_CLIENT });
  const passwordHash = await signIn.hashPassword(password);
  const email =
    (await redeemMailedLink(context, token, passwordHash, origin)) ??
    (await redeemOperatorLink(context, token, passwordHash, origin));
  // Clears earlier failures, so that the new password works at once.
  await attemptStore.forget(clientAndUserLimit(email, client));
  await attemptStore.forget(userLimit(email));
}

/** @returns the address; undefined if this is not a mailed link */
async function redeemMailedLink(
  { accounts, oneTimeTokenStore, log, userStore }: SignInContext,
  token: string,
  passwordHash: string,
  origin: RequestOrigin,
): Promise<string | undefined> {
  const userId = await oneTimeTokenStore.redeem('password-reset', token);
  const user = userId === undefined ? undefined : await userStore.find(userId);
  if (user === undefined) return undefined;
  const { email, name } = user;
  // Anybody can have signed up with an unverified address. So a new user replaces this one and gets the
  // account.
  const id = user.emailVerified ? user.id : newSignInId();
  await userStore.setPassword({ id, email, name }, passwordHash, {
    endsSecondFactors: false,
    change: { action: PASSWORD_RESET, email, ...origin },
  });
  await accounts.of({ id, email, name, emailVerified: true, hasApp: false }).catch((error: unknown) => {
    if (!(error instanceof DashboardError)) throw error;
    log.warn(
      { error: error.cause },
      'cannot open the account of a password reset now; its next sign-in tries again',
    );
  });
  return email;
}

/** @returns the address of the account */
async function redeemOperatorLink(
  { holder, userStore }: SignInContext,
  token: string,
  passwordHash: string,
  origin: RequestOrigin,
): Promise<string> {
  const { account, signInId } = await holder
    .redeemPasswordReset({ token, signInId: newSignInId() })
    .catch((error: unknown) => {
      throw isNotFound(error) ? resetLinkUsedUp(error) : error;
    });
  if (account === null) throw new Error('a password reset without an account');
  const { email, name } = account;
  await userStore.setPassword({ id: signInId, email, name }, passwordHash, {
    endsSecondFactors: true,
    change: { action: PASSWORD_RESET, email, ...origin },
  });
  return email;
}

function isNotFound(error: unknown): boolean {
  return error instanceof DashboardError && error.code === 'not_found';
}
