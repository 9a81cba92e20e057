import type { AuditAction } from '@model-gateway/shared/audit-actions';
import type { RecordedChange } from '../audit/record-change.ts';
import { keyResource } from './key-resource.ts';
import type { StoredKey } from './stored-key.ts';

/** Describes a change of a key for its audit event. @param before null: it was created */
export function keyChange(action: AuditAction, before: StoredKey | null, after: StoredKey): RecordedChange {
  return {
    action,
    object: { type: 'key', id: after.id, name: after.name },
    accountId: after.accountId,
    before: before && keyResource(before),
    after: keyResource(after),
  };
}
