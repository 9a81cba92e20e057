import type { ReportSignInRequestMessage } from '@model-gateway/contracts';
import { SIGN_IN_ACTIONS, SIGN_IN_ATTEMPTS } from '@model-gateway/shared/audit-actions';
import { z } from 'zod';
import type { SystemActor } from '../actors/actor.ts';
import type { AppendedEvent } from '../audit/append-event-store.ts';
import type { AttemptStore } from '../audit/attempt-store.ts';
import type { Attempts } from '../audit/attempts.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { reportedId as id } from '../reported-id.ts';
import type { AccountStore } from './account-store.ts';

const DASHBOARD = 'dashboard';
/** Keeps out control characters, which JSON columns cannot hold. */
const text = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u);

/** Accepts any text: a proxy may pass on what clients claim, which must keep no event out of the log. */
const address = z.string().transform((claimed) => claimed.slice(0, 64).replaceAll(/[\p{Cc}\p{Cs}]/gu, ' '));

/** Delay after which the event of a change also has the time of the change. */
const LATE_MS = 60_000;

const report = z.object({
  action: z.enum(SIGN_IN_ACTIONS),
  email: text(254),
  signInId: id.optional(),
  accountId: id.optional(),
  clientIp: address,
  requestId: text(200),
  detail: text(200).optional(),
  object: z.object({ type: id, id: text(100), name: text(200) }).nullable(),
  eventId: z
    .string()
    .regex(/^aud_[0-9A-Za-z]{24}$/)
    .optional(),
  changedAtMs: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .optional(),
});

export interface ReportSignInContext {
  accountStore: Pick<AccountStore, 'findByEmail'>;
  attemptStore: Pick<AttemptStore, 'append'>;
  deniedAttempts: Pick<Attempts, 'hasRoom' | 'record'>;
}

/**
 * Writes a sign-in, or a change of one, to the audit log. Sign-ins beyond the bound per address and account
 * are only counted. A change, such as a new passkey, is always written, once per event id. Without an account
 * id, the event belongs to the account of the e-mail address.
 * @throws ControlPlaneError invalid_argument
 */
export async function reportSignIn(
  { accountStore, attemptStore, deniedAttempts }: ReportSignInContext,
  _actor: SystemActor,
  message: ReportSignInRequestMessage,
): Promise<void> {
  const parsed = report.safeParse(message);
  if (!parsed.success) throw invalidArgument('the report of a sign-in is not well-formed');
  const {
    accountId: given = null,
    action,
    changedAtMs,
    clientIp: ip,
    detail,
    email,
    eventId,
    object,
    requestId,
    signInId,
  } = parsed.data;
  const isProven = action !== 'login.failed';
  const actor = { type: 'user' as const, id: signInId ?? (isProven ? given : null), email, ip };
  const provenId = isProven ? `user ${actor.id ?? email}` : undefined;
  const isBounded = SIGN_IN_ATTEMPTS.some((attempt) => attempt === action);
  const hasRoom = !isBounded || deniedAttempts.hasRoom({ actor, accountId: given, provenId });
  const accountId = given ?? (hasRoom ? ((await accountStore.findByEmail(email))?.id ?? null) : null);
  // An address that nobody has is not stored: a password may have been typed in its place.
  const known = isProven || accountId !== null ? email : null;
  const isLate = changedAtMs !== undefined && Date.now() - changedAtMs > LATE_MS;
  const changedAt = isLate ? { changed_at: new Date(changedAtMs).toISOString() } : null;
  const event: AppendedEvent = {
    ...(eventId !== undefined && { id: eventId }),
    actor: { ...actor, email: known },
    accountId,
    way: DASHBOARD,
    action,
    object: object ?? { type: 'sign_in', id: actor.id ?? '', name: known ?? '' },
    before: null,
    after: detail === undefined ? changedAt : { detail },
    requestId,
    outcome: isProven ? 'done' : 'denied',
  };
  await (isBounded ? deniedAttempts.record({ ...event, provenId }) : attemptStore.append(event));
}
