import { newId } from '@model-gateway/shared';
import { z } from 'zod';
import { ControlPlaneError } from '../control-plane-error.ts';
import type { NewPool } from '../pools/pool-store.ts';
import type { AccountStore, StoredAccount } from './account-store.ts';

export interface CreateAccountContext {
  accountStore: Pick<AccountStore, 'create'>;
  /** What a new account gets, in nano-USD; 0: nothing. */
  signupPool: bigint;
}

const emailAddress = z.string().trim().toLowerCase().max(254).pipe(z.email());
const MAX_NAME_LENGTH = 200;

/**
 * @param request without a name, the part of the e-mail address before the @ is used; `signInId`: whose it is
 * @throws ControlPlaneError invalid_argument, already_exists
 */
export async function createAccount(
  { accountStore, signupPool }: CreateAccountContext,
  request: { email: string; name: string; signInId?: string | undefined },
): Promise<StoredAccount> {
  const email = emailAddress.safeParse(request.email);
  if (!email.success)
    throw new ControlPlaneError('invalid_argument', 'an account needs a valid e-mail address');
  const name = request.name.trim() || email.data.slice(0, email.data.indexOf('@'));
  if (name.length > MAX_NAME_LENGTH) {
    throw new ControlPlaneError('invalid_argument', `a name has at most ${MAX_NAME_LENGTH} characters`);
  }
  const account = { id: newId('acct'), email: email.data, name, signInId: request.signInId };
  return await accountStore.create(account, signupPool === 0n ? undefined : poolOf(account.id, signupPool));
}

function poolOf(accountId: string, included: bigint): NewPool {
  const owner = { scope: 'account', id: accountId } as const;
  return { id: newId('pool'), name: 'Included with sign-up', owner, included, resets: 'never' };
}
