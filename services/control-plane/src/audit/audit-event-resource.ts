import { z } from 'zod';
import { timestamp } from '../timestamps.ts';
import type { AuditEvent } from './audit-list-store.ts';

/**
 * Audit event as the management API shows it. `object` is the changed object, not the kind of resource as
 * elsewhere.
 */
export const auditEventResourceSchema = z.object({
  id: z.string(),
  at: timestamp,
  actor: z.object({
    /** user, admin_key, operator_token, scim or system */
    type: z.string(),
    id: z.string().nullable(),
    email: z.string().nullable(),
    ip: z.string().nullable(),
  }),
  /** dashboard, api, cli, scim or system */
  way: z.string(),
  action: z.string(),
  object: z.object({ type: z.string(), id: z.string(), name: z.string() }),
  /** Null: it concerns the installation. */
  account_id: z.string().nullable(),
  /** Resources of the management API; null: none. */
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
  request_id: z.string().nullable(),
  /** done or denied */
  outcome: z.string(),
  /** Number of its hash chain, and position in it from 1 (docs/audit.md). */
  chain: z.int(),
  position: z.int(),
  hash: z.string(),
});
export type AuditEventResource = z.infer<typeof auditEventResourceSchema>;

export function auditEventResource(event: AuditEvent): AuditEventResource {
  const { objectType, objectId, objectName } = event;
  return {
    id: event.id,
    at: event.at.toISOString(),
    actor: event.actor,
    way: event.way,
    action: event.action,
    object: { type: objectType, id: objectId, name: objectName },
    account_id: event.accountId,
    before: event.before,
    after: event.after,
    request_id: event.requestId,
    outcome: event.outcome,
    chain: event.chain,
    position: Number(event.position),
    hash: event.hash,
  };
}
