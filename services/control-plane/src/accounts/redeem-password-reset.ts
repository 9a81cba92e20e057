import type { Actor } from '../actors/actor.ts';
import { alreadyExists, notFound } from '../errors/control-plane-error.ts';
import type { StoredAccount } from './account-store.ts';
import { checkSignInId } from './check-sign-in-id.ts';
import { secretTokenHash } from './secret-token.ts';
import type { SignInStore } from './sign-in-store.ts';

/**
 * Redeems a password reset once.
 * @param request.signInId becomes the owner if the account has none
 * @throws ControlPlaneError invalid_argument, not_found (unknown, used or expired), already_exists (the
 *   sign-in owns another account; the reset stays valid)
 */
export async function redeemPasswordReset(
  { signInStore }: { signInStore: Pick<SignInStore, 'redeemReset'> },
  actor: Actor,
  request: { token: string; signInId: string },
): Promise<{ account: StoredAccount; signInId: string }> {
  const signInId = checkSignInId(request.signInId);
  const redeemed = await signInStore.redeemReset(actor, secretTokenHash(request.token), signInId);
  if (redeemed === 'taken') throw alreadyExists('this sign-in has another account');
  if (redeemed !== null) return redeemed;
  throw notFound('this password reset was never issued, is used or has expired');
}
