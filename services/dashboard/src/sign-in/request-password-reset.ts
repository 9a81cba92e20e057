import type { Logger } from '@model-gateway/service-kit';
import { passwordResetMail } from '../mail/mail-texts.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { AddressProofStore } from './address-proof-store.ts';
import type { AttemptStore } from './attempt-store.ts';
import type { UserStore } from './user-store.ts';

export interface RequestPasswordResetContext {
  config: { publicUrl: string };
  addressProofStore: Pick<AddressProofStore, 'offer'>;
  attemptStore: Pick<AttemptStore, 'count'>;
  mailer: Pick<Mailer, 'send'>;
  userStore: Pick<UserStore, 'findByEmail'>;
  log: Logger;
}

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
  context: RequestPasswordResetContext,
  email: string,
  client: string,
): Promise<void> {
  const { attemptStore, log } = context;
  await attemptStore.count({ what: 'reset-mail-from', whose: client, max: PER_CLIENT });
  await attemptStore.count({ what: 'reset-mail', whose: `${email} ${client}`, max: PER_ADDRESS_AND_CLIENT });
  await attemptStore.count({ what: 'reset-mail-to', whose: email, max: PER_ADDRESS });
  sendIfKnown(context, email).catch((error: unknown) =>
    log.warn({ error }, 'a link for a new password could not be made'),
  );
}

async function sendIfKnown(
  { addressProofStore, config, mailer, userStore }: RequestPasswordResetContext,
  email: string,
): Promise<void> {
  const user = await userStore.findByEmail(email);
  if (user === undefined) return;
  const token = await addressProofStore.offer('password-reset', user.id, VALID_MS);
  mailer.send(
    passwordResetMail({ to: user.email, link: `${config.publicUrl}/reset-password#token=${token}` }),
  );
}
