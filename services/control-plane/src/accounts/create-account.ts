import { newId } from '@model-gateway/shared';
import type { Actor } from '../actors/actor.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import type { AccountStore, StoredAccount } from './account-store.ts';
import { requireCalendar, requireExternalId } from './change-account.ts';
import { requireEmail } from './email-address.ts';
import { newSignupPool, type SignupPool } from './signup-pool.ts';

export interface CreateAccountContext {
  accountStore: Pick<AccountStore, 'create'>;
  signupPool: SignupPool;
}

export interface NewAccount {
  email: string;
  /** When empty, the part of the e-mail address before the @ becomes the name. */
  name: string;
  /** The sign-in that owns the account; left out when nobody has signed in to it yet. */
  signInId?: string | undefined;
  /** True when somebody has proven the address, or an operator vouches for it. */
  emailVerified: boolean;
  /** True when the account gets its pool only after its address is verified. */
  poolNeedsProof: boolean;
  /** True when the account does not get the pool of new accounts. */
  withoutSignupPool?: boolean;
  /** Id in a system of its operator. */
  externalId?: string | undefined;
  /** Calendar of its budgets; absent: UTC, with weeks from Monday. */
  timezone?: string | undefined;
  weekStarts?: string | undefined;
  /** From requireKnownList. Only operators set it; absent: the default price list. */
  priceListId?: string | null | undefined;
}

const MAX_NAME_LENGTH = 200;

/** @throws ControlPlaneError invalid_argument, already_exists, not_found (price list) */
export async function createAccount(
  { accountStore, signupPool }: CreateAccountContext,
  actor: Actor,
  request: NewAccount,
): Promise<StoredAccount> {
  const email = requireEmail(request.email, 'an account');
  const name = requireAccountName(request.name.trim() || email.slice(0, email.indexOf('@')));
  const { emailVerified, poolNeedsProof, signInId, withoutSignupPool = false } = request;
  const signupPoolDue = poolNeedsProof && !emailVerified;
  const calendar = requireCalendar(request);
  const account = {
    ...{ id: newId('acct'), email, name, signInId, emailVerified, signupPoolDue, ...calendar },
    ...requireExternalId(request.externalId),
    ...(request.priceListId === undefined ? {} : { priceListId: request.priceListId }),
  };
  const pool = signupPoolDue || withoutSignupPool ? undefined : newSignupPool(account.id, signupPool);
  return await accountStore.create(actor, account, pool);
}

/** @throws ControlPlaneError invalid_argument */
export function requireAccountName(text: string): string {
  const name = text.trim();
  if (name === '') throw invalidArgument('an account needs a name');
  if (name.length > MAX_NAME_LENGTH)
    throw invalidArgument(`a name has at most ${MAX_NAME_LENGTH} characters`);
  return name;
}
