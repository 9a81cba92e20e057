import { omitAbsent } from '../omit-absent.ts';
import type { OfferedMembership } from './member-store.ts';
import { memberStatus, type StoredMember } from './stored-member.ts';

export function memberMessage(member: StoredMember) {
  const { accountId, createdAt, email, expiresAt, id, name, role, source, stoppedAt, stoppedBy } = member;
  return {
    id,
    accountId,
    email,
    name,
    role,
    status: memberStatus(member),
    source,
    createdAtMs: createdAt.getTime(),
    ...omitAbsent({ expiresAtMs: expiresAt?.getTime(), stoppedAtMs: stoppedAt?.getTime(), stoppedBy }),
  };
}

/** The only message that holds the token. */
export function newMemberInvitationMessage({ member, token }: { member: StoredMember; token: string }) {
  return { member: memberMessage(member), token };
}

export function removedMemberMessage(removed: {
  member: StoredMember;
  revokedKeys: string[];
  unconfirmed: string[];
}) {
  return {
    member: memberMessage(removed.member),
    revokedKeyIds: removed.revokedKeys,
    unconfirmedInstances: removed.unconfirmed,
  };
}

export function offeredMembershipMessage({ accountName, ...member }: OfferedMembership) {
  return {
    invitationId: member.id,
    accountId: member.accountId,
    accountName,
    email: member.email,
    role: member.role,
    createdAtMs: member.createdAt.getTime(),
    expiresAtMs: member.expiresAt?.getTime() ?? 0,
  };
}
