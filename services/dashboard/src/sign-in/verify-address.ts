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
/** Mails to one address in 15 minutes. */
const MAILS_PER_ADDRESS = 5;

/**
 * Mails a link that verifies the user's address; it works only in their session.
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
 * Verifies the user's address with a mailed token, only in the user's own session: an impostor has the
 * session but not the mail, and the real owner must not verify the impostor's user by opening the link.
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
