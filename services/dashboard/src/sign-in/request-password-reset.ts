import { passwordResetMail } from '../mail/mail-texts.ts';
import type { SignInContext } from './sign-in-context.ts';

const VALID_MS = 3_600_000;
/** Requests in 15 minutes per client, per client and address, and per address. */
const PER_CLIENT = 10;
const PER_ADDRESS_AND_CLIENT = 3;
const PER_ADDRESS = 10;

/**
 * Mails a password reset link if the address belongs to a user. Does not wait for the look-up, so that
 * neither the response nor its time shows whether it does.
 * @param email in lower case
 * @param client the group of the client's address
 * @throws DashboardError rate_limit_exceeded, service_unavailable
 */
export async function requestPasswordReset(
  context: SignInContext,
  email: string,
  client: string,
): Promise<void> {
  const { attemptStore, log } = context;
  const emailAndClient = `${email} ${client}`;
  await attemptStore.count({ action: 'reset-mail-from', subject: client, max: PER_CLIENT });
  await attemptStore.count({ action: 'reset-mail', subject: emailAndClient, max: PER_ADDRESS_AND_CLIENT });
  await attemptStore.count({ action: 'reset-mail-to', subject: email, max: PER_ADDRESS });
  sendIfKnown(context, email).catch((error: unknown) =>
    log.warn({ error }, 'cannot create a password reset link'),
  );
}

async function sendIfKnown(
  { oneTimeTokenStore, config, mailer, userStore }: SignInContext,
  email: string,
): Promise<void> {
  const user = await userStore.findByEmail(email);
  if (user === undefined) return;
  const token = await oneTimeTokenStore.create('password-reset', user.id, VALID_MS);
  const link = `${config.publicUrl}/reset-password#token=${token}`;
  mailer.send(passwordResetMail({ product: config.product.name, to: user.email, link }));
}
