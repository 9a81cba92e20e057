import type { Logger } from '@model-gateway/service-kit';
import type { HolderClient } from '../control-plane/holder-client.ts';
import { DashboardError } from '../errors/dashboard-error.ts';
import { resetLinkUsedUp } from '../errors/sign-in-errors.ts';
import type { AddressProofStore } from './address-proof-store.ts';
import type { AttemptStore } from './attempt-store.ts';
import type { HolderAccounts } from './holder-accounts.ts';
import type { SignIn } from './sign-in.ts';
import { triesAtPassword, triesFromEverywhere } from './sign-in-tries.ts';
import { newSignInId, type UserStore } from './user-store.ts';

export interface ResetPasswordContext {
  holder: Pick<HolderClient, 'redeemPasswordReset'>;
  attemptStore: AttemptStore;
  addressProofStore: Pick<AddressProofStore, 'use'>;
  accounts: Pick<HolderAccounts, 'of'>;
  signIn: Pick<SignIn, 'hashPassword'>;
  userStore: UserStore;
  log: Logger;
}

const TRIES_PER_CLIENT = 10;

/**
 * Sets the password of the sign-in to which a reset link belongs, and ends all its sessions. A mailed link
 * proves the address. If a sign-in with that address never proved it, the account and its keys go to whoever
 * has used the link.
 * @param client the group of the client's address; a client that tries many tokens is stopped
 * @throws DashboardError not_found, rate_limit_exceeded, service_unavailable
 */
export async function resetPassword(
  context: ResetPasswordContext,
  { token, password }: { token: string; password: string },
  client: string,
): Promise<void> {
  const { attemptStore, signIn } = context;
  // This also finds out whether the database can be reached, before the link is used up: it works only once.
  await attemptStore.count({ what: 'password-reset', whose: client, max: TRIES_PER_CLIENT });
  const passwordHash = await signIn.hashPassword(password);
  const email =
    (await redeemMailedLink(context, token, passwordHash)) ??
    (await redeemGivenLink(context, token, passwordHash));
  // People who ask for a reset have often failed to sign in, and must be able to with the new password.
  await attemptStore.forget(triesAtPassword(email, client));
  await attemptStore.forget(triesFromEverywhere(email));
}

/** @returns the address of the sign-in; undefined: the link was not mailed */
async function redeemMailedLink(
  { accounts, addressProofStore, log, userStore }: ResetPasswordContext,
  token: string,
  passwordHash: string,
): Promise<string | undefined> {
  const userId = await addressProofStore.use('password-reset', token);
  const user = userId === undefined ? undefined : await userStore.find(userId);
  if (user === undefined) return undefined;
  const { email, name } = user;
  // Nobody knows who made a sign-in with an unproven address. So a new one replaces it, and gets what belongs
  // to the address.
  const id = user.emailVerified ? user.id : newSignInId();
  await userStore.setPassword({ id, email, name }, passwordHash);
  await accounts.of({ id, email, name, emailVerified: true }).catch((error: unknown) => {
    if (!(error instanceof DashboardError)) throw error;
    log.warn({ error: error.cause }, 'the account of a password reset is opened with its next sign-in');
  });
  return email;
}

/** @returns the address of the account */
async function redeemGivenLink(
  { holder, userStore }: ResetPasswordContext,
  token: string,
  passwordHash: string,
): Promise<string> {
  const { account, signInId } = await holder
    .redeemPasswordReset({ token, signInId: newSignInId() })
    .catch((error: unknown) => {
      throw isNotFound(error) ? resetLinkUsedUp(error) : error;
    });
  if (account === null) throw new Error('a password reset without an account');
  await userStore.setPassword({ id: signInId, email: account.email, name: account.name }, passwordHash);
  return account.email;
}

function isNotFound(error: unknown): boolean {
  return error instanceof DashboardError && error.code === 'not_found';
}
