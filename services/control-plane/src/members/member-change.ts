import type { RecordedChange } from '../audit/record-change.ts';
import { memberResource } from './member-resource.ts';
import type { StoredMember } from './stored-member.ts';

/** Describes a change of a member for its audit event. At least one of the two is not null. */
export function changeOf(
  action: RecordedChange['action'],
  before: StoredMember | null,
  after: StoredMember | null,
): RecordedChange {
  const named = after ?? before;
  if (named === null) throw new Error('a member change needs a member before or after it');
  return {
    action,
    object: { type: 'member', id: named.id, name: named.email },
    accountId: named.accountId,
    before: before && memberResource(before),
    after: after && memberResource(after),
  };
}
