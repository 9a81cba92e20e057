import { z } from 'zod';

/** From the least to the most powerful. */
export const accountRole = z.enum(['viewer', 'developer', 'admin', 'owner']);
export type AccountRole = z.infer<typeof accountRole>;

export const memberEntry = z.object({
  id: z.string(),
  email: z.string(),
  /** Empty: unknown. */
  name: z.string(),
  role: accountRole,
  /** `added`: has not signed in yet. `stopped`: may not sign in any more. */
  status: z.enum(['invited', 'added', 'active', 'stopped']),
  createdAtMs: z.number(),
  /** End of an invitation; null: a member. */
  expiresAtMs: z.number().nullable(),
  /** Such as `scim`; null: it is not stopped. */
  stoppedBy: z.string().nullable(),
});
export type MemberEntry = z.infer<typeof memberEntry>;

/** GET /api/members, for admins: members and open invitations, newest first, besides the owner's address. */
export const membersResponse = z.object({
  /** Address of the sign-in that owns the account. */
  ownerEmail: z.string(),
  members: z.array(memberEntry),
});
export type MembersResponse = z.infer<typeof membersResponse>;

/** POST /api/members, status 201 */
export const inviteMemberRequest = z.object({ email: z.string().trim().max(254), role: accountRole });
export type InviteMemberRequest = z.infer<typeof inviteMemberRequest>;
export const inviteMemberResponse = z.object({
  member: memberEntry,
  /** Works once, for any signed-in user. It cannot be shown again. */
  link: z.string(),
  /** True if the link was also mailed to the address. */
  isMailed: z.boolean(),
});
export type InviteMemberResponse = z.infer<typeof inviteMemberResponse>;

/** POST /api/members/:memberId/role, status 204 */
export const changeRoleRequest = z.object({ role: accountRole });

/** POST /api/members/:memberId/remove, without a body; also withdraws an invitation. */
export const removeMemberResponse = z.object({
  revokedKeys: z.number(),
  /** True if every data plane has confirmed that it refuses the keys. */
  refusedEverywhere: z.boolean(),
});
export type RemoveMemberResponse = z.infer<typeof removeMemberResponse>;

/** An account that invites the user. */
export const offeredAccount = z.object({
  invitationId: z.string(),
  accountName: z.string(),
  /** The invited address. */
  email: z.string(),
  role: accountRole,
  expiresAtMs: z.number(),
});
export type OfferedAccount = z.infer<typeof offeredAccount>;

const token = z.string().min(1).max(200);

/** POST /api/memberships/find; answered with an offered account. The token comes from the link. */
export const findMembershipRequest = z.object({ token });

/** POST /api/memberships/accept, status 204. The session then shows that account. */
export const acceptMembershipRequest = z.union([
  z.object({ token }),
  z.object({ invitationId: z.string().min(1).max(100) }),
]);
export type AcceptMembershipRequest = z.infer<typeof acceptMembershipRequest>;

/** POST /api/session/account, status 204: the session shows another account of the user. */
export const switchAccountRequest = z.object({ accountId: z.string().min(1).max(100) });
