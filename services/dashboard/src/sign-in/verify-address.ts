import { addressNotConfirmed } from '../errors/sign-in-errors.ts';
import { verificationMail } from '../mail/mail-texts.ts';
import type { SignedInUser } from './holder-session.ts';
import type { SignInContext } from './sign-in-context.ts';

const VALID_MS = 24 * 3_600_000;
/** Mails to one address in 15 minutes. */
const MAILS_PER_ADDRESS = 5;

/**
 * Mails a link that verifies the user's address; it works only in their session.
 * @throws DashboardError rate_limit_exceeded, service_unavailable
 */
export async function sendVerification(
  { oneTimeTokenStore, attemptStore, config, mailer }: SignInContext,
  { id, email }: Pick<SignedInUser, 'id' | 'email'>,
): Promise<void> {
  await attemptStore.count({ action: 'verification-mail', subject: email, max: MAILS_PER_ADDRESS });
  const token = await oneTimeTokenStore.create('verify-address', id, VALID_MS);
  const link = `${config.publicUrl}/verify-email#token=${token}`;
  mailer.send(verificationMail({ product: config.product.name, to: email, link }));
}

/**
 * Verifies the user's address with a mailed token, only in the user's own session: an impostor has the
 * session but not the mail, and the real owner must not verify the impostor's user by opening the link.
 * @throws DashboardError not_found, service_unavailable
 */
export async function verifyAddress(
  { accounts, oneTimeTokenStore, userStore }: SignInContext,
  user: SignedInUser,
  token: string,
): Promise<void> {
  if ((await oneTimeTokenStore.redeem('verify-address', token, user.id)) === undefined) {
    throw addressNotConfirmed();
  }
  await userStore.markVerified(user.id);
  await accounts.of({ ...user, emailVerified: true });
}
