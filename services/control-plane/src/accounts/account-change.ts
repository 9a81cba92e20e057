import type { AuditAction } from '@model-gateway/shared/audit-actions';
import type { RecordedChange } from '../audit/record-change.ts';
import { accountResource } from './account-resource.ts';
import type { StoredAccount } from './stored-account.ts';

/**
 * Describes a change of an account for its audit event.
 * @param before null: it was created
 * @param more members of `after` that the account itself does not have, such as keys that stopped with it
 */
export function accountChange(
  action: AuditAction,
  before: StoredAccount | null,
  after: StoredAccount,
  more: object = {},
): RecordedChange {
  const { email, id } = before ?? after;
  return {
    action,
    object: { type: 'account', id, name: email },
    accountId: id,
    before: before && accountResource(before),
    after: { ...accountResource(after), ...more },
  };
}
