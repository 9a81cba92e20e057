import { Prisma } from '@model-gateway/database';
import type { ListQuery } from './list-page.ts';

export interface ListOrder {
  /** Matches rows after the query's cursor. */
  isAfter: Prisma.Sql;
  /** Reads one row more than the limit, to know whether another page follows. */
  orderAndLimit: Prisma.Sql;
}

/** Returns SQL for a list ordered by created_at and id. @param table name or alias */
export function listOrder(table: string, first: 'oldest' | 'newest', { after, limit }: ListQuery): ListOrder {
  const [createdAt, id] = [Prisma.raw(`${table}.created_at`), Prisma.raw(`${table}.id`)];
  const cursor = after && Prisma.sql`${after.createdAt}::timestamptz`;
  const rows = Prisma.raw(String(limit + 1));
  if (first === 'oldest') {
    return {
      isAfter:
        after === undefined ? Prisma.sql`true` : Prisma.sql`(${createdAt}, ${id}) > (${cursor}, ${after.id})`,
      orderAndLimit: Prisma.sql`ORDER BY ${createdAt}, ${id} LIMIT ${rows}`,
    };
  }
  return {
    isAfter:
      after === undefined
        ? Prisma.sql`true`
        : Prisma.sql`${createdAt} <= ${cursor} AND (${createdAt} < ${cursor} OR ${id} > ${after.id})`,
    orderAndLimit: Prisma.sql`ORDER BY ${createdAt} DESC, ${id} LIMIT ${rows}`,
  };
}
