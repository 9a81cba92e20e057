import { ACCOUNT_ROLES } from '@model-gateway/shared/access';
import { z } from 'zod';
import { optionalTimestamp, timestamp } from '../timestamps.ts';
import { MEMBER_STATUSES, memberStatus, type StoredMember } from './stored-member.ts';

/** Member of an account, or an invitation, as the management API and audit events show it. */
export const memberResourceSchema = z.object({
  object: z.literal('member'),
  id: z.string(),
  account_id: z.string(),
  email: z.string(),
  name: z.string(),
  role: z.enum(ACCOUNT_ROLES),
  /** `added`: has not signed in yet. */
  status: z.enum(MEMBER_STATUSES),
  /** invitation, operator, scim, oidc, or oidc:NAME of a provider in OIDC_PROVIDERS */
  source: z.string(),
  created_at: timestamp,
  /** End of an invitation. */
  expires_at: timestamp.nullable(),
  stopped_at: timestamp.nullable(),
  /** Reason why the member is stopped, such as `scim`. */
  stopped_by: z.string().nullable(),
});
export type MemberResource = z.infer<typeof memberResourceSchema>;

export function memberResource(member: StoredMember): MemberResource {
  return {
    object: 'member',
    id: member.id,
    account_id: member.accountId,
    email: member.email,
    name: member.name,
    role: member.role,
    status: memberStatus(member),
    source: member.source,
    created_at: member.createdAt.toISOString(),
    expires_at: optionalTimestamp(member.expiresAt),
    stopped_at: optionalTimestamp(member.stoppedAt),
    stopped_by: member.stoppedBy,
  };
}
