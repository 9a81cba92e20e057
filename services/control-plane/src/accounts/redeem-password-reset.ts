import type { Actor } from '../actors/actor.ts';
import { ControlPlaneError } from '../errors/control-plane-error.ts';
import type { StoredAccount } from './account-store.ts';
import { checkSignInId } from './check-sign-in-id.ts';
import { resetTokenHash } from './reset-password.ts';
import type { SignInStore } from './sign-in-store.ts';

/**
 * Redeems a password reset, which works once.
 * @param request.signInId owns the account from now on, if nobody has signed in to it yet
 * @returns `signInId`: the sign-in that owns the account
 * @throws ControlPlaneError invalid_argument, not_found (never issued, used or expired), already_exists (the
 *   sign-in owns another account; the reset can still be used)
 */
export async function redeemPasswordReset(
  { signInStore }: { signInStore: Pick<SignInStore, 'redeemReset'> },
  _actor: Actor,
  request: { token: string; signInId: string },
): Promise<{ account: StoredAccount; signInId: string }> {
  const signInId = checkSignInId(request.signInId);
  const redeemed = await signInStore.redeemReset(resetTokenHash(request.token), signInId);
  if (redeemed === 'taken') {
    throw new ControlPlaneError('already_exists', 'this sign-in has another account');
  }
  if (redeemed === null) {
    throw new ControlPlaneError('not_found', 'this password reset was never given, is used or has expired');
  }
  return redeemed;
}
