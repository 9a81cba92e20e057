import type { RecordedChange } from '../../audit/record-change.ts';
import type { Transaction } from '../../database/prisma-store.ts';
import { changeOf } from '../../members/member-change.ts';
import { findMember } from '../../members/member-store.ts';
import { removePerson, type StoppedOrRestored, withdrawInvitationsOf } from './stop-user-store.ts';

/**
 * Removes a person from its account and revokes its keys for good. The owner of an account keeps it, but
 * cannot sign in.
 * @param person as of removePerson
 */
export async function endMembership(
  transaction: Transaction,
  person: Parameters<typeof removePerson>[1],
): Promise<StoppedOrRestored & { changes: RecordedChange[] }> {
  const withdrawn = await withdrawInvitationsOf(transaction, person);
  const removed = await removePerson(transaction, person);
  const { accountId, memberId } = person;
  const member = memberId === null ? null : await findMember(transaction, accountId, memberId);
  if (member === null) return { ...removed, changes: withdrawn };
  await transaction.accountMember.delete({ where: { id: member.id } });
  return { ...removed, changes: [changeOf('member.removed', member, null), ...withdrawn] };
}
