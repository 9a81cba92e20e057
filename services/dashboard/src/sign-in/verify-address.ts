import { addressNotConfirmed } from '../errors/sign-in-errors.ts';
import { verificationMail } from '../mail/mail-texts.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { AddressProofStore } from './address-proof-store.ts';
import type { AttemptStore } from './attempt-store.ts';
import type { HolderAccounts } from './holder-accounts.ts';
import type { SignedInUser } from './holder-session.ts';
import type { UserStore } from './user-store.ts';

export interface SendVerificationContext {
  config: { publicUrl: string };
  addressProofStore: Pick<AddressProofStore, 'offer'>;
  attemptStore: Pick<AttemptStore, 'count'>;
  mailer: Pick<Mailer, 'send'>;
}

const VALID_MS = 24 * 3_600_000;
/** So many mails are sent to one address in 15 minutes, whoever asks for them. */
const MAILS_PER_ADDRESS = 5;

/**
 * Mails a link that proves the sign-in's address, to be opened while signed in to it.
 * @throws DashboardError rate_limit_exceeded, service_unavailable
 */
export async function sendVerification(
  { addressProofStore, attemptStore, config, mailer }: SendVerificationContext,
  { id, email }: Pick<SignedInUser, 'id' | 'email'>,
): Promise<void> {
  await attemptStore.count({ what: 'verification-mail', whose: email, max: MAILS_PER_ADDRESS });
  const token = await addressProofStore.offer('verify-address', id, VALID_MS);
  mailer.send(verificationMail({ to: email, link: `${config.publicUrl}/verify-email#token=${token}` }));
}

export interface VerifyAddressContext {
  addressProofStore: Pick<AddressProofStore, 'use'>;
  userStore: Pick<UserStore, 'markVerified'>;
  accounts: Pick<HolderAccounts, 'of'>;
}

/**
 * Takes a link that was mailed to a sign-in's address as proof of it. Only somebody who is signed in to that
 * very sign-in can use it. An impostor has the sign-in but not the mail. The real owner has the mail, and
 * must not prove the address for the impostor by opening it.
 * @throws DashboardError not_found, service_unavailable
 */
export async function verifyAddress(
  { accounts, addressProofStore, userStore }: VerifyAddressContext,
  user: SignedInUser,
  token: string,
): Promise<void> {
  if ((await addressProofStore.use('verify-address', token, user.id)) === undefined) {
    throw addressNotConfirmed();
  }
  await userStore.markVerified(user.id);
  await accounts.of({ ...user, emailVerified: true });
}
