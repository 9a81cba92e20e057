import type { AuditAction } from '@model-gateway/shared/audit-actions';
import { type EventType, eventData } from '@model-gateway/shared/events';
import type { Change } from '../actors/change-guard.ts';
import type { NewEvent } from './emit-event-store.ts';

type ReportedType = Extract<
  EventType,
  'account.suspended' | 'catalog.applied' | 'key.created' | 'key.revoked'
>;

const TYPES: Partial<Record<AuditAction, ReportedType>> = {
  'account.suspended': 'account.suspended',
  'api_key.created': 'key.created',
  'api_key.revoked': 'key.revoked',
  'api_key.rotated': 'key.revoked',
  'catalog.added': 'catalog.applied',
  'catalog.applied': 'catalog.applied',
  'catalog.removed': 'catalog.applied',
};

/** Returns the events that webhooks report of a change: one, or none. */
export function eventsOfChange({
  accountId,
  action,
  after,
}: Omit<Change, 'action'> & { action: AuditAction }): NewEvent[] {
  const type = TYPES[action];
  if (type === undefined) return [];
  if (type === 'account.suspended')
    return [{ type, accountId, data: eventData[type].parse({ stopped_key_ids: [], ...after }) }];
  if (type === 'catalog.applied') return [{ type, accountId, data: eventData[type].parse(after) }];
  const data = eventData[type].parse(after);
  // A rotated key usually works for some more time.
  return type === 'key.revoked' && data.revoked_at === null ? [] : [{ type, accountId, data }];
}
