import { createHash, randomBytes } from 'node:crypto';
import type { AccountStore, StoredAccount } from './account-store.ts';
import type { SignInStore } from './sign-in-store.ts';

export interface ResetPasswordContext {
  accountStore: Pick<AccountStore, 'require'>;
  signInStore: Pick<SignInStore, 'offerReset'>;
}

const TOKEN_BYTES = 32;
const VALID_HOURS = 24;

/**
 * Gives out what sets a new password once, within 24 hours; an earlier one of the account ends. The token exists in the
 * answer only: what is stored is its hash.
 * @param account id or e-mail address; nobody needs to have signed in to it yet
 * @throws ControlPlaneError not_found
 */
export async function resetPassword(
  { accountStore, signInStore }: ResetPasswordContext,
  account: string,
): Promise<{ account: StoredAccount; token: string; expiresAt: Date }> {
  const stored = await accountStore.require(account);
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const expiresAt = await signInStore.offerReset(stored.id, resetTokenHash(token), VALID_HOURS);
  return { account: stored, token, expiresAt };
}

/** Lower-case hex SHA-256: the token is too random to be guessed from it. */
export function resetTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
