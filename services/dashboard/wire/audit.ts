import { z } from 'zod';

export const auditEvent = z.object({
  id: z.string(),
  atMs: z.number(),
  actor: z.object({
    /** user, admin_key, operator_token, scim or system */
    type: z.string(),
    id: z.string().nullable(),
    email: z.string().nullable(),
    ip: z.string().nullable(),
  }),
  /** dashboard, api, cli, scim or system */
  way: z.string(),
  /** Such as `api_key.created`. */
  action: z.string(),
  object: z.object({ type: z.string(), id: z.string(), name: z.string() }),
  /** Null: it concerns the installation. */
  accountId: z.string().nullable(),
  /** The object before and after the change, as the management API has it; null: none. */
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
  /** done or denied */
  outcome: z.string(),
  /** The call that made it; null: it was none. */
  requestId: z.string().nullable(),
});
export type AuditEvent = z.infer<typeof auditEvent>;

/** GET /api/audit-events and /api/audit-events.ndjson */
export const auditQuery = z.object({
  action: z.string().max(100).optional(),
  /** Id or e-mail address of who did it. */
  actor: z.string().max(254).optional(),
  object: z.string().max(300).optional(),
  outcome: z.enum(['done', 'denied']).optional(),
  /** Unix milliseconds. */
  sinceMs: z.coerce.number().int().min(0).optional(),
  /** Exclusive. */
  untilMs: z.coerce.number().int().min(0).optional(),
  cursor: z.string().max(100).optional(),
});

/** Newest first. */
export const auditResponse = z.object({
  events: z.array(auditEvent),
  /** Null: this is the last page. */
  nextCursor: z.string().nullable(),
});
export type AuditResponse = z.infer<typeof auditResponse>;
