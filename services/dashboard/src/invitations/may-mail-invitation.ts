import type { Mailer } from '@model-gateway/mail';
import { DashboardError } from '../errors/dashboard-error.ts';
import type { AttemptStore } from '../sign-in/attempt-store.ts';

/** Somebody who invites others. */
export interface Inviter {
  accountId: string;
  /** Named in the mail as the sender of the invitation. */
  email: string;
  emailVerified: boolean;
}

/** Invitation mails in 15 minutes by one account and to one address. */
const MAILS_PER_ACCOUNT = 30;
const MAILS_PER_ADDRESS = 5;

/** Returns true if the inviter has a verified address and has not reached the limits of mails. */
export async function mayMailInvitation(
  {
    attemptStore,
    mailer,
  }: { attemptStore: Pick<AttemptStore, 'count'>; mailer: Pick<Mailer, 'isConfigured'> },
  { accountId, emailVerified }: Inviter,
  email: string,
): Promise<boolean> {
  if (!mailer.isConfigured || !emailVerified) return false;
  try {
    await attemptStore.count({ action: 'invitation-mail-of', subject: accountId, max: MAILS_PER_ACCOUNT });
    await attemptStore.count({ action: 'invitation-mail-to', subject: email, max: MAILS_PER_ADDRESS });
    return true;
  } catch (error) {
    // The invitation exists, and its link can be passed on.
    if (error instanceof DashboardError) return false;
    throw error;
  }
}
