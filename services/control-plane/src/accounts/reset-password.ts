import { createHash, randomBytes } from 'node:crypto';
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
  /** Ids of the keys that were revoked. */
  revokedKeys: string[];
  /** Data planes that may still accept them; their events stay due. */
  unconfirmed: string[];
}

const TOKEN_BYTES = 32;
const VALID_HOURS = 24;

/**
 * Gives out what sets a new password once, within 24 hours; an earlier one of the account ends. Whoever is
 * signed in to the account is signed out and cannot sign in again, and its keys are revoked: it may be
 * somebody else's than it should be. With them end the open invitations to its teams and, where nobody has
 * proven its address, the seats that it gave out. The token exists in the answer only: what is stored is its
 * hash.
 * @param request.account id or e-mail address; nobody needs to have signed in to it yet
 * @param request.revokeKeys undefined: if somebody has signed in to it, who could have made them
 * @throws ControlPlaneError not_found, failed_precondition (it is deleted)
 */
export async function resetPassword(
  context: ResetPasswordContext,
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

/** Lower-case hex SHA-256: the token is too random to be guessed from it. */
export function resetTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
