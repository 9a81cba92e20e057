import type { MemberMessage } from '@model-gateway/contracts';
import { formatTable, type TableOptions } from './format-table.ts';
import { isoTimestamp, timestampOrNull } from './timestamp.ts';

/** @throws when the answer of the control plane holds no member */
export function memberJson(member: MemberMessage | null) {
  if (member === null) throw new Error('the control plane answered without a member');
  return {
    id: member.id,
    account_id: member.accountId,
    email: member.email,
    name: member.name,
    role: member.role,
    status: member.status,
    source: member.source,
    created_at: isoTimestamp(member.createdAtMs),
    expires_at: timestampOrNull(member.expiresAtMs),
    stopped_at: timestampOrNull(member.stoppedAtMs),
    stopped_by: member.stoppedBy ?? null,
  };
}

export function memberTable(
  members: readonly ReturnType<typeof memberJson>[],
  options?: TableOptions,
): string {
  return formatTable(
    ['ID', 'EMAIL', 'ROLE', 'STATUS', 'SOURCE', 'CREATED'],
    members.map(({ id, email, role, status, source, created_at }) => [
      ...[id, email, role, status, source, created_at],
    ]),
    options,
  );
}
