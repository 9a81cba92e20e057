import { ACCOUNT_ROLES } from '@model-gateway/shared/access';
import { z } from 'zod';

export const storedMember = z.object({
  id: z.string(),
  accountId: z.string(),
  email: z.string(),
  name: z.string(),
  role: z.enum(ACCOUNT_ROLES),
  /** invitation, operator, or an AssignmentSource. Only the same source removes the membership by itself. */
  source: z.string(),
  /** Null: has not signed in yet. */
  signInId: z.string().nullable(),
  createdAt: z.date(),
  /** End of an invitation; null: a member. */
  expiresAt: z.date().nullable(),
  stoppedAt: z.date().nullable(),
  stoppedBy: z.string().nullable(),
});
/** Member of an account, or an invitation to it. */
export type StoredMember = z.infer<typeof storedMember>;

export const MEMBER_STATUSES = ['invited', 'added', 'active', 'stopped'] as const;
type MemberStatus = (typeof MEMBER_STATUSES)[number];

/** Returns `added` for a member who has not signed in yet. */
export function memberStatus({ expiresAt, signInId, stoppedAt }: StoredMember): MemberStatus {
  if (expiresAt !== null) return 'invited';
  if (stoppedAt !== null) return 'stopped';
  return signInId === null ? 'added' : 'active';
}
