import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import { selectUsage } from '../roll-ups/usage-sums-store.ts';
import { coverPeriod } from './cover-period.ts';
import type { TotalCursor, TotalGrouping, TotalUsageQuery } from './total-usage-query.ts';
import { SUM_OF_SUMS, SUMS, sums, type UsageSums } from './usage-page-store.ts';

export interface TotalUsageOf {
  accountId: string | undefined;
  teamId: string | undefined;
}

const totalRows = z.array(
  sums.extend({
    /** Null for the sum of all groups. */
    id: z.string().nullable(),
    name: z.string().nullable(),
    accountId: z.string().nullable(),
    teamId: z.string().nullable(),
  }),
);
export type TotalRow = z.infer<typeof totalRows>[number] & { id: string };

/** Group columns of roll-ups `r` and their seats `s`. */
const COLUMNS: Record<TotalGrouping, Prisma.Sql> = {
  account: Prisma.sql`r.account_id`,
  team: Prisma.sql`coalesce(s.team_id, '')`,
  seat: Prisma.sql`r.seat_id`,
  key: Prisma.sql`r.key_id`,
  model: Prisma.sql`r.model_id`,
};

/** Looked up for listed groups only. */
const NAMES: Record<TotalGrouping, { columns: Prisma.Sql; from: Prisma.Sql }> = {
  account: {
    columns: Prisma.sql`a.email, NULL, NULL`,
    from: Prisma.sql`LEFT JOIN accounts a ON a.id = g.id`,
  },
  team: {
    columns: Prisma.sql`t.name, NULL, NULL`,
    from: Prisma.sql`LEFT JOIN teams t ON t.id = g.id`,
  },
  seat: {
    columns: Prisma.sql`a.email, s.account_id, s.team_id`,
    from: Prisma.sql`LEFT JOIN seats s ON s.id = g.id LEFT JOIN accounts a ON a.id = s.account_id`,
  },
  key: {
    columns: Prisma.sql`k.name, k.account_id, NULL`,
    from: Prisma.sql`LEFT JOIN api_keys k ON k.id = g.id`,
  },
  model: { columns: Prisma.sql`NULL, NULL, NULL`, from: Prisma.empty },
};

export class TotalUsageStore extends ReadingStore {
  async read(
    of: TotalUsageOf,
    query: TotalUsageQuery,
    signal: AbortSignal,
  ): Promise<{ totals: UsageSums; groups: TotalRow[] }> {
    const rows = totalRows.parse(await this.reads.query(totalsStatement(of, query), signal));
    const totals = rows.find(({ id }) => id === null);
    if (totals === undefined) throw new Error('usage without its totals');
    return { totals, groups: rows.filter(isGroup) };
  }
}

function isGroup(row: z.infer<typeof totalRows>[number]): row is TotalRow {
  return row.id !== null;
}

/** One statement, so that totals and groups agree. Exported for its query plan's test. */
export function totalsStatement(
  of: TotalUsageOf,
  { period, groupBy, limit, after }: TotalUsageQuery,
): Prisma.Sql {
  const usage = selectUsage({
    pieces: coverPeriod(period),
    where: matchFilter(of),
    byKey: groupBy === 'key',
    allAccounts: of.accountId === undefined,
  });
  const seats = groupBy === 'team' ? Prisma.sql`LEFT JOIN seats s ON s.id = r.seat_id` : Prisma.empty;
  const order = Prisma.sql`charged DESC, requests DESC, id`;
  const { columns, from } = NAMES[groupBy];
  return Prisma.sql`
    WITH grouped AS (
      SELECT ${COLUMNS[groupBy]} AS id, ${SUMS}
      FROM (${usage}) AS r ${seats}
      GROUP BY 1
    )
    SELECT NULL AS id, ${SUM_OF_SUMS}, NULL AS name, NULL AS "accountId", NULL AS "teamId" FROM grouped r
    UNION ALL (
      SELECT g.*, ${columns}
      FROM (
        SELECT * FROM grouped ${after === undefined ? Prisma.empty : isAfterCursor(after)}
        ORDER BY ${order} LIMIT ${limit + 1}
      ) AS g ${from}
      ORDER BY ${order}
    )`;
}

function matchFilter({ accountId, teamId }: TotalUsageOf): Prisma.Sql {
  const conditions = [Prisma.sql`true`];
  if (accountId !== undefined) conditions.push(Prisma.sql`r.account_id = ${accountId}`);
  if (teamId !== undefined) {
    conditions.push(Prisma.sql`r.seat_id IN (SELECT id FROM seats WHERE team_id = ${teamId})`);
  }
  return Prisma.join(conditions, ' AND ');
}

function isAfterCursor({ charged, requests, id }: TotalCursor): Prisma.Sql {
  const [cost, count] = [Prisma.sql`${charged}::bigint`, Prisma.sql`${requests}::bigint`];
  return Prisma.sql`
    WHERE charged < ${cost}
      OR (charged = ${cost} AND (requests < ${count} OR (requests = ${count} AND id > ${id})))`;
}
