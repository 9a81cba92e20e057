import type { Actor } from '../actors/actor.ts';
import { type RevocationContext, waitForRevocation } from '../data-planes/wait-for-revocation.ts';
import type { AccountStore } from './account-store.ts';
import { newSecretToken, secretTokenHash } from './secret-token.ts';
import type { SignInStore } from './sign-in-store.ts';

export interface ResetPasswordContext extends RevocationContext {
  accountStore: Pick<AccountStore, 'requireNotDeleted'>;
  signInStore: Pick<SignInStore, 'issueReset'>;
}

const VALID_HOURS = 24;

/**
 * Issues a token that sets a new password once, within 24 hours. The account may be in wrong hands, so
 * sessions, keys and invitations end, and seats too if nobody has proven the e-mail address. Only the token's
 * hash is stored.
 * @param request.account id or e-mail address
 * @param request.revokeKeys undefined: revoke if somebody has signed in and could have made them
 * @throws ControlPlaneError not_found, failed_precondition (deleted account)
 */
export async function resetPassword(
  context: ResetPasswordContext,
  actor: Actor,
  request: { account: string; revokeKeys?: boolean | undefined },
) {
  const account = await context.accountStore.requireNotDeleted(request.account);
  const token = newSecretToken();
  const { expiresAt, revision, revokedKeys } = await context.signInStore.issueReset(actor, account.id, {
    tokenHash: secretTokenHash(token),
    validHours: VALID_HOURS,
    revokesKeys: request.revokeKeys,
  });
  const unconfirmed = await waitForRevocation(context, revision);
  return { account, token, expiresAt, revokedKeys, unconfirmed };
}
