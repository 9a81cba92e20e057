import type { AuditAction } from '@model-gateway/shared/audit-actions';
import type { RecordedChange } from '../audit/record-change.ts';
import { poolResource } from './pool-resource.ts';
import type { StoredPool } from './stored-pool.ts';

/** Describes a change of a pool for its audit event. @param before null: it was created */
export function poolChange(
  action: AuditAction,
  accountId: string | null,
  before: StoredPool | null,
  after: StoredPool,
): RecordedChange {
  return {
    action,
    object: { type: 'pool', id: after.id, name: after.name },
    accountId,
    before: before && poolResource(before),
    after: poolResource(after),
  };
}
