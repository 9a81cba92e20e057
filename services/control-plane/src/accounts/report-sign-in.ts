import type { ReportSignInRequestMessage } from '@model-gateway/contracts';
import { z } from 'zod';
import type { SystemActor } from '../actors/actor.ts';
import { SIGN_IN_ACTIONS } from '../audit/actions.ts';
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

const report = z.object({
  action: z.enum(SIGN_IN_ACTIONS),
  email: text(254),
  signInId: id.optional(),
  accountId: id.optional(),
  clientIp: text(64),
  requestId: text(200),
  detail: text(200).optional(),
  object: z.object({ type: id, id: text(100), name: text(200) }).nullable(),
});

export interface ReportSignInContext {
  accountStore: Pick<AccountStore, 'findByEmail'>;
  deniedAttempts: Pick<Attempts, 'hasRoom' | 'record'>;
}

/**
 * Writes a sign-in, or a change of one, to the audit log; beyond the bound per address and account it is only
 * counted. Without an account, it belongs to the account of the address.
 * @throws ControlPlaneError invalid_argument
 */
export async function reportSignIn(
  { accountStore, deniedAttempts }: ReportSignInContext,
  _actor: SystemActor,
  message: ReportSignInRequestMessage,
): Promise<void> {
  const parsed = report.safeParse(message);
  if (!parsed.success) throw invalidArgument('the report of a sign-in is not well-formed');
  const {
    accountId: given = null,
    action,
    clientIp: ip,
    detail,
    email,
    object,
    requestId,
    signInId,
  } = parsed.data;
  const isProven = action !== 'login.failed';
  const actor = { type: 'user' as const, id: signInId ?? (isProven ? given : null), email, ip };
  const provenId = isProven ? `user ${actor.id ?? email}` : undefined;
  const hasRoom = deniedAttempts.hasRoom({ actor, accountId: given, provenId });
  const accountId = given ?? (hasRoom ? ((await accountStore.findByEmail(email))?.id ?? null) : null);
  await deniedAttempts.record({
    actor,
    provenId,
    accountId,
    way: DASHBOARD,
    action,
    object: object ?? { type: 'sign_in', id: actor.id ?? '', name: email },
    before: null,
    after: detail === undefined ? null : { detail },
    requestId,
    outcome: isProven ? 'done' : 'denied',
  });
}
