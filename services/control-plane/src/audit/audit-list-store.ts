import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import type { ListCursor } from '../lists/list-page.ts';

/** Row of audit_events. */
const auditEvent = z.object({
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

/** Columns of a row `e` of audit_events, named as in `auditEvent`. */
const AUDIT_COLUMNS = Prisma.sql`
  e.id, e.chain, e.position, e.at, e.actor, e.way, e.action, e.object_type AS "objectType",
  e.object_id AS "objectId", e.object_name AS "objectName", e.account_id AS "accountId", e.before, e.after,
  e.request_id AS "requestId", e.outcome, e.hash`;

/** Conditions on events. Undefined members match every event. */
export interface AuditFilter {
  accountId?: string | undefined;
  action?: string | undefined;
  /** Id or e-mail address. */
  actor?: string | undefined;
  objectId?: string | undefined;
  /** done or denied */
  outcome?: string | undefined;
  /** Lists match events with any of their values. */
  accountIds?: readonly string[] | undefined;
  actions?: readonly string[] | undefined;
  actorIds?: readonly string[] | undefined;
  actorEmails?: readonly string[] | undefined;
  objectIds?: readonly string[] | undefined;
  /** True: changes and sign-ins, without attempts that were refused. */
  isDone?: boolean;
  since?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
}

export interface AuditListQuery {
  filter: AuditFilter;
  first: 'newest' | 'oldest';
  after: ListCursor | undefined;
  limit: number;
}

const cursorRows = z.array(z.object({ createdAt: z.date(), id: z.string() }));

export class AuditListStore extends ReadingStore {
  /** Lists one event more than the limit, by time and id. */
  async list({ filter, first, after, limit }: AuditListQuery, signal: AbortSignal): Promise<AuditEvent[]> {
    const isNewest = first === 'newest';
    const isAfter =
      after &&
      Prisma.sql`(e.at, e.id) ${Prisma.raw(isNewest ? '<' : '>')} (${after.createdAt}::timestamptz, ${after.id})`;
    const order = isNewest ? Prisma.sql`e.at DESC, e.id DESC` : Prisma.sql`e.at, e.id`;
    return await this.query(z.array(auditEvent), signal)`
      SELECT ${AUDIT_COLUMNS} FROM audit_events e
      WHERE ${Prisma.join([...conditions(filter), isAfter ?? Prisma.sql`true`], ' AND ')}
      ORDER BY ${order} LIMIT ${Prisma.raw(String(limit + 1))}`;
  }

  async find(id: string, signal: AbortSignal): Promise<AuditEvent | undefined> {
    const [event] = await this.query(z.array(auditEvent), signal)`
      SELECT ${AUDIT_COLUMNS} FROM audit_events e WHERE e.id = ${id}`;
    return event;
  }

  /** Returns the cursor of an event; undefined when there is none. */
  async cursorOf(id: string, signal: AbortSignal): Promise<ListCursor | undefined> {
    const [cursor] = await this.query(cursorRows, signal)`
      SELECT e.at AS "createdAt", e.id FROM audit_events e WHERE e.id = ${id}`;
    return cursor;
  }
}

function conditions(filter: AuditFilter): Prisma.Sql[] {
  const { accountId, action, actor, objectId, outcome, since, until } = filter;
  const found: Prisma.Sql[] = [];
  const among = (column: string, values: readonly string[] | undefined) => {
    if (values === undefined) return;
    // `=` instead of `= ANY` for one value, so that an index gives the page in order, without a sort.
    const [only] = values;
    const isAny = values.length === 1 ? Prisma.sql`= ${only}` : Prisma.sql`= ANY(${[...values]}::text[])`;
    found.push(Prisma.sql`${Prisma.raw(column)} ${isAny}`);
  };
  among('e.account_id', filter.accountIds);
  among('e.action', filter.actions);
  among("e.actor->>'id'", filter.actorIds);
  among("e.actor->>'email'", filter.actorEmails);
  among('e.object_id', filter.objectIds);
  if (filter.isDone) found.push(Prisma.sql`(e.outcome = 'done' OR e.action = 'login.failed')`);
  if (accountId !== undefined) found.push(Prisma.sql`e.account_id = ${accountId}`);
  if (action !== undefined) found.push(Prisma.sql`e.action = ${action}`);
  if (actor !== undefined) {
    // Compares one of both: with OR, no index gives the page in order. Ids have no @.
    found.push(
      actor.includes('@')
        ? Prisma.sql`e.actor->>'email' = ${actor.toLowerCase()}`
        : Prisma.sql`e.actor->>'id' = ${actor}`,
    );
  }
  if (objectId !== undefined) found.push(Prisma.sql`e.object_id = ${objectId}`);
  if (outcome !== undefined) found.push(Prisma.sql`e.outcome = ${outcome}`);
  if (since !== undefined) found.push(Prisma.sql`e.at >= ${since}::timestamptz`);
  if (until !== undefined) found.push(Prisma.sql`e.at < ${until}::timestamptz`);
  return found;
}
