import { ControlPlaneError } from '../control-plane-error.ts';
import type { AccountStore, StoredAccount } from './account-store.ts';
import { checkSignInId } from './check-sign-in-id.ts';
import { createAccount } from './create-account.ts';
import type { SignInStore } from './sign-in-store.ts';

export interface OpenAccountContext {
  accountStore: Pick<AccountStore, 'create' | 'findByEmail'>;
  signInStore: Pick<SignInStore, 'accountOf' | 'claim'>;
  /** What a new account gets, in nano-USD; 0: nothing. */
  signupPool: bigint;
}

/** Who signs in, as the dashboard knows it. */
export interface SignIn {
  signInId: string;
  email: string;
  name: string;
  /** An identity provider has proven the address. */
  emailVerified: boolean;
}

/**
 * The account of a sign-in: the one it has; else, if the address is proven, the one of that address that nobody has
 * signed in to; else a new one. However many calls of one sign-in come at once, all get the same.
 * @throws ControlPlaneError invalid_argument, already_exists (the address has an account that is not this sign-in's),
 * failed_precondition (there is none, and none may be created)
 */
export async function openAccount(
  context: OpenAccountContext,
  { mayCreate, ...signIn }: SignIn & { mayCreate: boolean },
): Promise<StoredAccount> {
  checkSignInId(signIn.signInId);
  const own = await ownAccount(context, signIn);
  if (own !== null) return own;
  if (!mayCreate && (await context.accountStore.findByEmail(signIn.email)) === null) {
    throw new ControlPlaneError(
      'failed_precondition',
      'this sign-in has no account, and none may be created',
    );
  }
  try {
    return await createAccount(context, signIn);
  } catch (error) {
    if (!(error instanceof ControlPlaneError) || error.code !== 'already_exists') throw error;
    // Perhaps by another call of the same sign-in that came at the same time.
    const since = await ownAccount(context, signIn);
    if (since === null) throw error;
    return since;
  }
}

async function ownAccount(
  { signInStore }: OpenAccountContext,
  { signInId, email, emailVerified }: SignIn,
): Promise<StoredAccount | null> {
  const account = await signInStore.accountOf(signInId);
  if (account !== null || !emailVerified) return account;
  return await signInStore.claim(email.trim().toLowerCase(), signInId);
}
