import type { MemberMessage, OfferedMembershipMessage } from '@model-gateway/contracts';
import { accountRole, type MemberEntry, memberEntry, type OfferedAccount } from '../../wire/members.ts';

const { status: memberStatus } = memberEntry.shape;

export function toMember(member: MemberMessage): MemberEntry {
  const { id, email, name, role, status, createdAtMs, expiresAtMs, stoppedBy } = member;
  return {
    id,
    email,
    name,
    role: accountRole.parse(role),
    status: memberStatus.parse(status),
    createdAtMs: Number(createdAtMs),
    expiresAtMs: expiresAtMs === undefined ? null : Number(expiresAtMs),
    stoppedBy: stoppedBy ?? null,
  };
}

export function toOfferedAccount(offered: OfferedMembershipMessage): OfferedAccount {
  const { invitationId, accountName, email, role, expiresAtMs } = offered;
  return {
    invitationId,
    accountName,
    email,
    role: accountRole.parse(role),
    expiresAtMs: Number(expiresAtMs),
  };
}
