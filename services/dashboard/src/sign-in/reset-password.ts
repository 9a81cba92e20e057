import type { HolderClient } from '../control-plane/holder-client.ts';
import { DashboardError } from '../errors/dashboard-error.ts';
import type { AttemptStore } from './attempt-store.ts';
import type { SignIn } from './sign-in.ts';
import { triesAtPassword, triesFromEverywhere } from './sign-in-tries.ts';
import { newSignInId, type UserStore } from './user-store.ts';

export interface ResetPasswordContext {
  holder: Pick<HolderClient, 'redeemPasswordReset'>;
  attemptStore: AttemptStore;
  signIn: Pick<SignIn, 'hashPassword'>;
  userStore: UserStore;
}

const TRIES_PER_CLIENT = 10;

/**
 * Gives the account of a reset link a password, and ends all its sessions.
 * @param client its address group: whoever tries many tokens is stopped
 * @throws DashboardError not_found, rate_limit_exceeded, service_unavailable
 */
export async function resetPassword(
  { attemptStore, holder, signIn, userStore }: ResetPasswordContext,
  { token, password }: { token: string; password: string },
  client: string,
): Promise<void> {
  // This finds out, too, whether the password can be stored: a link works once.
  await attemptStore.count({ what: 'password-reset', whose: client, max: TRIES_PER_CLIENT });
  const passwordHash = await signIn.hashPassword(password);
  const { account, signInId } = await holder
    .redeemPasswordReset({ token, signInId: newSignInId() })
    .catch((error: unknown) => {
      throw isNotFound(error) ? linkUsedUp(error) : error;
    });
  if (account === null) throw new Error('a password reset without an account');
  await userStore.setPassword({ id: signInId, email: account.email, name: account.name }, passwordHash);
  // Who asks for a reset has often tried in vain before, and is to get in with the new password.
  await attemptStore.forget(triesAtPassword(account.email, client));
  await attemptStore.forget(triesFromEverywhere(account.email));
}

function isNotFound(error: unknown): boolean {
  return error instanceof DashboardError && error.code === 'not_found';
}

function linkUsedUp(cause: unknown): DashboardError {
  return new DashboardError(
    'not_found',
    'This link does not work any more: each works once, and for a limited time. Ask your operator for another one.',
    { param: 'token', cause },
  );
}
