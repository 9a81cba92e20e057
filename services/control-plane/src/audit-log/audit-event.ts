import { Prisma } from '@model-gateway/database';
import { z } from 'zod';

/** Row of audit_events. */
export const auditEvent = z.object({
  id: z.string(),
  chain: z.int(),
  position: z.coerce.bigint(),
  at: z.date(),
  actor: z.object({
    type: z.string(),
    id: z.string().nullable(),
    email: z.string().nullable(),
    ip: z.string().nullable(),
  }),
  way: z.string(),
  action: z.string(),
  objectType: z.string(),
  objectId: z.string(),
  objectName: z.string(),
  accountId: z.string().nullable(),
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
  requestId: z.string().nullable(),
  outcome: z.string(),
  hash: z.string(),
});
export type AuditEvent = z.infer<typeof auditEvent>;

/** Columns of a row `e` of audit_events in the form of `auditEvent`. */
export const AUDIT_COLUMNS = Prisma.sql`
  e.id, e.chain, e.position, e.at, e.actor, e.way, e.action, e.object_type AS "objectType",
  e.object_id AS "objectId", e.object_name AS "objectName", e.account_id AS "accountId", e.before, e.after,
  e.request_id AS "requestId", e.outcome, e.hash`;
