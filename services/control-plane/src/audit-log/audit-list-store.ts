import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import type { ListCursor } from '../lists/list-page.ts';
import { AUDIT_COLUMNS, type AuditEvent, auditEvent } from './audit-event.ts';

/** Undefined members match every event. */
export interface AuditFilter {
  accountId?: string | undefined;
  action?: string | undefined;
  /** Id or e-mail address. */
  actor?: string | undefined;
  objectId?: string | undefined;
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

  /** Finds the place of an event; undefined when there is none. */
  async cursorOf(id: string, signal: AbortSignal): Promise<ListCursor | undefined> {
    const [cursor] = await this.query(cursorRows, signal)`
      SELECT e.at AS "createdAt", e.id FROM audit_events e WHERE e.id = ${id}`;
    return cursor;
  }
}

function conditions({ accountId, action, actor, objectId, since, until }: AuditFilter): Prisma.Sql[] {
  const found: Prisma.Sql[] = [];
  if (accountId !== undefined) found.push(Prisma.sql`e.account_id = ${accountId}`);
  if (action !== undefined) found.push(Prisma.sql`e.action = ${action}`);
  if (actor !== undefined) {
    found.push(Prisma.sql`(e.actor->>'id' = ${actor} OR e.actor->>'email' = ${actor.toLowerCase()})`);
  }
  if (objectId !== undefined) found.push(Prisma.sql`e.object_id = ${objectId}`);
  if (since !== undefined) found.push(Prisma.sql`e.at >= ${since}::timestamptz`);
  if (until !== undefined) found.push(Prisma.sql`e.at < ${until}::timestamptz`);
  return found;
}
