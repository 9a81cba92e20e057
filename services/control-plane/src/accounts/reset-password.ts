import { createHash, randomBytes } from 'node:crypto';
import type { Actor } from '../actors/actor.ts';
import { type RevocationReachedContext, revocationReached } from '../data-planes/revocation-reached.ts';
import type { AccountStore, StoredAccount } from './account-store.ts';
import type { SignInStore } from './sign-in-store.ts';

export interface ResetPasswordContext extends RevocationReachedContext {
  accountStore: Pick<AccountStore, 'requireNotDeleted'>;
  signInStore: Pick<SignInStore, 'offerReset'>;
}

export interface OfferedReset {
  account: StoredAccount;
  token: string;
  expiresAt: Date;
  revokedKeys: string[];
  unconfirmed: string[];
}

const TOKEN_BYTES = 32;
const VALID_HOURS = 24;

/**
 * Issues a token that sets a new password once, within 24 hours. The account may be in wrong hands, so
 * sessions, keys and invitations end, and seats too where nobody has proven the address. Only the token's
 * hash is stored.
 * @param request.account id or e-mail address
 * @param request.revokeKeys undefined: revoke if somebody has signed in and could have made them
 * @throws ControlPlaneError not_found, failed_precondition (deleted account)
 */
export async function resetPassword(
  context: ResetPasswordContext,
  _actor: Actor,
  request: { account: string; revokeKeys?: boolean | undefined },
): Promise<OfferedReset> {
  const account = await context.accountStore.requireNotDeleted(request.account);
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const { expiresAt, revision, revokedKeys } = await context.signInStore.offerReset(account.id, {
    tokenHash: resetTokenHash(token),
    validHours: VALID_HOURS,
    revokesKeys: request.revokeKeys,
  });
  const unconfirmed = revision === undefined ? [] : await revocationReached(context, revision);
  return { account, token, expiresAt, revokedKeys, unconfirmed };
}

/** Lower-case hex SHA-256. A plain hash is enough, because the token is too random to be guessed. */
export function resetTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
