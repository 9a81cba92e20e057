import type { Actor } from '../actors/actor.ts';
import { type RevocationContext, waitForRevocation } from '../data-planes/wait-for-revocation.ts';
import { ControlPlaneError, failedPrecondition, permissionDenied } from '../errors/control-plane-error.ts';
import type { AccountStore, StoredAccount } from './account-store.ts';
import { checkSignInId } from './check-sign-in-id.ts';
import { createAccount } from './create-account.ts';
import { parseEmail } from './email-address.ts';
import type { ProvenAddressStore } from './proven-address-store.ts';
import type { SignInStore } from './sign-in-store.ts';
import type { SignupPool } from './signup-pool.ts';

export interface OpenAccountContext extends RevocationContext {
  accountStore: Pick<AccountStore, 'create' | 'findByEmail'>;
  signInStore: Pick<SignInStore, 'accountOf'>;
  provenAddressStore: Pick<ProvenAddressStore, 'claim'>;
  signupPool: SignupPool;
}

export interface SignIn {
  signInId: string;
  email: string;
  name: string;
  /** True when the address is proven: an identity provider says so, or a link sent to it was opened. */
  emailVerified: boolean;
}

/**
 * Returns the account of a sign-in: the one it owns, else the one with its proven address (unless another
 * sign-in has proven it too), else a new one. Concurrent calls of one sign-in get the same account.
 * @throws ControlPlaneError invalid_argument, already_exists (another sign-in owns the address's account),
 *   failed_precondition (creation is not allowed), permission_denied (suspended)
 */
export async function openAccount(
  context: OpenAccountContext,
  actor: Actor,
  { mayCreate, poolNeedsProof, ...signIn }: SignIn & { mayCreate: boolean; poolNeedsProof: boolean },
): Promise<StoredAccount> {
  checkSignInId(signIn.signInId);
  const own = await findOwnAccount(context, actor, signIn);
  if (own !== null) return requireNotSuspended(own);
  if (!mayCreate && (await context.accountStore.findByEmail(signIn.email)) === null) {
    throw failedPrecondition('this sign-in has no account, and none may be created');
  }
  try {
    return await createAccount(context, actor, { ...signIn, poolNeedsProof });
  } catch (error) {
    if (!(error instanceof ControlPlaneError) || error.code !== 'already_exists') throw error;
    // Another call of the same sign-in may have created the account at the same time.
    const created = await findOwnAccount(context, actor, signIn);
    if (created === null) throw error;
    return requireNotSuspended(created);
  }
}

function requireNotSuspended(account: StoredAccount): StoredAccount {
  if (account.suspendedAt === null) return account;
  throw permissionDenied('this account is suspended');
}

async function findOwnAccount(
  context: OpenAccountContext,
  actor: Actor,
  { signInId, email, emailVerified }: SignIn,
): Promise<StoredAccount | null> {
  const account = await context.signInStore.accountOf(signInId);
  if (!emailVerified) return account;
  const proven = parseEmail(email);
  // An operator may have vouched for the address while the included money is still due.
  const isDone = account?.emailVerifiedAt != null && !account.signupPoolDue;
  if (isDone || proven === undefined || (account !== null && account.email !== proven)) return account;
  const claimed = await context.provenAddressStore.claim(actor, proven, signInId, context.signupPool);
  if (claimed === null) return account;
  // Wait for every data plane: keys from before the proof must spend nothing from now on.
  await waitForRevocation(context, claimed.revision);
  return claimed.account;
}
