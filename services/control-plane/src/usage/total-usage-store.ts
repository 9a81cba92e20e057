import { Prisma } from '@model-gateway/database';
import { isUsageLabel, type UsageLabel } from '@model-gateway/shared';
import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import { selectPendingUsage, selectUsage } from '../roll-ups/usage-sums-store.ts';
import { coverPeriod } from './cover-period.ts';
import { selectLabelUsage } from './label-usage-store.ts';
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
const COLUMNS: Record<Exclude<TotalGrouping, UsageLabel>, Prisma.Sql> = {
  account: Prisma.sql`r.account_id`,
  team: Prisma.sql`coalesce(s.team_id, '')`,
  seat: Prisma.sql`r.seat_id`,
  key: Prisma.sql`r.key_id`,
  model: Prisma.sql`r.model_id`,
};

const NO_NAMES = { columns: Prisma.sql`NULL, NULL, NULL`, from: Prisma.empty };
/** Looked up for listed groups only. */
const NAMES: Record<Exclude<TotalGrouping, UsageLabel>, { columns: Prisma.Sql; from: Prisma.Sql }> = {
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
  model: NO_NAMES,
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
export function totalsStatement(of: TotalUsageOf, query: TotalUsageQuery): Prisma.Sql {
  const { groupBy, limit, after } = query;
  const usage = usageOf(of, query);
  const seats = groupBy === 'team' ? Prisma.sql`LEFT JOIN seats s ON s.id = r.seat_id` : Prisma.empty;
  const order = Prisma.sql`charged DESC, requests DESC, id`;
  const { columns, from } = isUsageLabel(groupBy) ? NO_NAMES : NAMES[groupBy];
  return Prisma.sql`
    WITH grouped AS (
      SELECT ${isUsageLabel(groupBy) ? Prisma.sql`r.labels[1]` : COLUMNS[groupBy]} AS id, ${SUMS}
      FROM (${usage}) AS r ${seats}
      GROUP BY 1 HAVING sum(r.requests) > 0
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

function usageOf(of: TotalUsageOf, { period, groupBy, isSummed, labelFilters }: TotalUsageQuery): Prisma.Sql {
  const where = matchFilter(of);
  const allAccounts = of.accountId === undefined;
  if (!isUsageLabel(groupBy) && labelFilters.length === 0)
    return selectUsage({ pieces: coverPeriod(period), where, byKey: groupBy === 'key', allAccounts });
  return selectLabelUsage({
    period,
    // Finds the accounts first, by which sums and records are indexed.
    where: of.accountId === undefined ? Prisma.sql`${where} AND ${isOfTeam(of.teamId)}` : where,
    grouped: isUsageLabel(groupBy) ? [groupBy] : [],
    filters: labelFilters,
    isSummed,
    pending: Prisma.sql`(${selectPendingUsage(period, where, allAccounts)})`,
  });
}

function isOfTeam(teamId: string | undefined): Prisma.Sql {
  return Prisma.sql`r.account_id IN (SELECT account_id FROM seats WHERE team_id = ${teamId})`;
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
