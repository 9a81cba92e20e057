import { newId } from '@model-gateway/shared';
import { ControlPlaneError } from '../errors/control-plane-error.ts';
import type { AccountStore, StoredAccount } from './account-store.ts';
import { requireEmail } from './email-address.ts';
import { signupPoolOf } from './signup-pool.ts';

export interface CreateAccountContext {
  accountStore: Pick<AccountStore, 'create'>;
  /** What a new account gets, in nano-USD; 0: nothing. */
  signupPool: bigint;
}

export interface NewAccount {
  email: string;
  /** Empty: the part of the e-mail address before the @. */
  name: string;
  /** The sign-in that has the account; left out: nobody has signed in to it yet. */
  signInId?: string | undefined;
  /** Somebody has proven the address, or an operator vouches for it. */
  emailVerified: boolean;
  /** Without that it gets its pool only when its address is verified. */
  poolNeedsProof: boolean;
}

const MAX_NAME_LENGTH = 200;

/** @throws ControlPlaneError invalid_argument, already_exists */
export async function createAccount(
  { accountStore, signupPool }: CreateAccountContext,
  request: NewAccount,
): Promise<StoredAccount> {
  const email = requireEmail(request.email, 'an account');
  const name = request.name.trim() || email.slice(0, email.indexOf('@'));
  if (name.length > MAX_NAME_LENGTH) {
    throw new ControlPlaneError('invalid_argument', `a name has at most ${MAX_NAME_LENGTH} characters`);
  }
  const { emailVerified, poolNeedsProof, signInId } = request;
  const signupPoolDue = poolNeedsProof && !emailVerified;
  const account = { id: newId('acct'), email, name, signInId, emailVerified, signupPoolDue };
  const pool = signupPoolDue ? undefined : signupPoolOf(account.id, signupPool);
  return await accountStore.create(account, pool);
}
