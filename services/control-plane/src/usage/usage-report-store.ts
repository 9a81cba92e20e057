import { Prisma } from '@model-gateway/database';
import type { UsageLabel } from '@model-gateway/shared';
import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import { type Period, selectPendingUsage, selectUsage } from '../roll-ups/usage-sums-store.ts';
import { coverPeriod } from './cover-period.ts';
import type { GroupCursor } from './group-cursor.ts';
import type { LabelFilter } from './label-query.ts';
import { selectLabelUsage } from './label-usage-store.ts';
import { SUMS, sums, type UsageSums } from './usage-page-store.ts';

/** Groupings of a report besides labels, in the order of their columns. */
export const REPORT_GROUPINGS = ['payer', 'account', 'team', 'seat', 'key', 'model', 'capability'] as const;
export type ReportGrouping = (typeof REPORT_GROUPINGS)[number];

/** Restricts a report; absent members restrict nothing. */
export interface ReportFilter {
  /** Usage that this account pays for: outside of seats, and on all seats of its teams. */
  paidBy?: string | undefined;
  /** Accounts of the keys, on seats or not. */
  accounts?: readonly string[] | undefined;
  /** Ids of accounts and teams that pay. */
  payers?: readonly string[] | undefined;
  team?: string | undefined;
  seat?: string | undefined;
  keys?: readonly string[] | undefined;
  models?: readonly string[] | undefined;
  capabilities?: readonly string[] | undefined;
  labels: readonly LabelFilter[];
}

export interface ReportQuery {
  filter: ReportFilter;
  /** The whole period, for its totals. */
  period: Period;
  /** Bucket width in seconds; 0: one bucket. */
  width: number;
  groupBy: ReadonlySet<ReportGrouping>;
  labels: readonly UsageLabel[];
  /** True if daily sums have the labels of the query (isSummedByLabel). */
  isSummed: boolean;
}

export interface ReportPage {
  /** Adjacent buckets. */
  buckets: readonly Period[];
  /** Lists only later groups of the first bucket; undefined: all. */
  after: GroupCursor | undefined;
  limit: number;
}

const reportRows = z.array(
  sums.extend({
    /** Start of the bucket; null for the whole period. */
    bucket: z.date().nullable(),
    payer: z.string().nullable(),
    account: z.string().nullable(),
    team: z.string().nullable(),
    seat: z.string().nullable(),
    key: z.string().nullable(),
    model: z.string().nullable(),
    capability: z.string().nullable(),
    /** Values of the labels of the query, in its order; empty: none. */
    labels: z.array(z.string()).nullable(),
  }),
);
export type ReportRow = z.infer<typeof reportRows>[number] & { bucket: Date };

/** Columns of usage `r` and its seats `s`. An empty text: none. */
const COLUMNS: Record<ReportGrouping, Prisma.Sql> = {
  payer: Prisma.sql`coalesce(s.team_id, r.account_id)`,
  account: Prisma.sql`r.account_id`,
  team: Prisma.sql`coalesce(s.team_id, '')`,
  seat: Prisma.sql`r.seat_id`,
  key: Prisma.sql`r.key_id`,
  model: Prisma.sql`r.model_id`,
  capability: Prisma.sql`r.capability`,
};
const LABELS = Prisma.sql`r.labels`;

/** Reads usage of any accounts for the management API, from sums plus the records of the last minute. */
export class UsageReportStore extends ReadingStore {
  /** Reads totals and groups in one statement, so that they agree. */
  async page(
    query: ReportQuery,
    page: ReportPage,
    signal: AbortSignal,
  ): Promise<{ totals: UsageSums; groups: ReportRow[] }> {
    const rows = reportRows.parse(await this.reads.query(reportStatement(query, page), signal));
    const totals = rows.find(({ bucket }) => bucket === null);
    if (totals === undefined) throw new Error('a usage report without its totals');
    return { totals, groups: rows.filter(isInBucket) };
  }
}

function isInBucket(row: z.infer<typeof reportRows>[number]): row is ReportRow {
  return row.bucket !== null;
}

function reportStatement(query: ReportQuery, { after, buckets, limit }: ReportPage): Prisma.Sql {
  const { filter, period, width } = query;
  const start = buckets[0]?.start ?? period.end;
  const listed = { start, end: buckets.at(-1)?.end ?? period.end };
  const columns = columnsOf(query);
  const first = Prisma.sql`${new Date(start * 1_000)}::timestamptz`;
  const bucket = width === 0 ? first : Prisma.sql`greatest(r.bucket, ${first})`;
  const isLater =
    after === undefined
      ? Prisma.empty
      : Prisma.sql`WHERE ${bucket} > ${first} OR (${Prisma.join(columns)}) > (${cursorOf(query, after)})`;
  const groups = Prisma.join([Prisma.sql`1`, ...columns]);
  const usage = (of: Period, labels: readonly UsageLabel[], isBucketed: boolean) =>
    usageOf({ ...query, labels }, of, isBucketed);
  const groupNames = REPORT_GROUPINGS.map((name) => Prisma.raw(`NULL::text AS ${name}`));
  return Prisma.sql`
    WITH pending AS MATERIALIZED (
      ${selectPendingUsage(period, matchFilter(filter), isOfAll(filter))}
    )
    SELECT NULL::timestamptz AS bucket, ${Prisma.join(groupNames)}, NULL::text[] AS labels, ${SUMS}
    FROM (${usage(period, [], false)}) AS r
    UNION ALL (
      SELECT ${bucket} AS bucket, ${namesOf(query)}, ${SUMS}
      FROM (${usage(listed, query.labels, true)}) AS r LEFT JOIN seats s ON s.id = r.seat_id
      ${isLater}
      GROUP BY ${groups} HAVING sum(r.requests) > 0 ORDER BY ${groups} LIMIT ${Prisma.raw(String(limit))}
    )`;
}

function usageOf(query: ReportQuery, period: Period, isBucketed: boolean): Prisma.Sql {
  const { filter, groupBy, isSummed, labels, width } = query;
  const where = matchFilter(filter);
  const buckets = isBucketed && width > 0 ? { bucketWidth: width } : {};
  const pending = Prisma.sql`pending`;
  if (labels.length > 0 || filter.labels.length > 0) {
    const grouped = { grouped: labels, filters: filter.labels, isSummed };
    return selectLabelUsage({ period, where, ...grouped, ...buckets, pending });
  }
  const byKey = groupBy.has('key') || filter.keys !== undefined;
  const pieces = width > 0 ? coverPeriod(period, width) : coverPeriod(period);
  return selectUsage({ pieces, where, byKey, allAccounts: isOfAll(filter), ...buckets, pending });
}

function isOfAll({ accounts, paidBy, seat, team }: ReportFilter): boolean {
  return [accounts, paidBy, seat, team].every((each) => each === undefined);
}

function matchFilter(filter: ReportFilter): Prisma.Sql {
  const { accounts, capabilities, keys, models, paidBy, payers, seat, team } = filter;
  const conditions = [Prisma.sql`true`];
  const among = (column: Prisma.Sql, values: readonly string[] | undefined) => {
    if (values !== undefined) conditions.push(Prisma.sql`${column} = ANY(${[...values]}::text[])`);
  };
  among(COLUMNS.account, accounts);
  among(COLUMNS.seat, seat === undefined ? undefined : [seat]);
  among(COLUMNS.key, keys);
  among(COLUMNS.model, models);
  among(COLUMNS.capability, capabilities);
  if (paidBy !== undefined) {
    const owned = Prisma.sql`SELECT t.id FROM teams t WHERE t.owner_account_id = ${paidBy}`;
    conditions.push(isPaidBy(Prisma.sql`ARRAY[${paidBy}]::text[]`, owned));
  }
  if (payers !== undefined) {
    const ids = Prisma.sql`${[...payers]}::text[]`;
    conditions.push(isPaidBy(ids, Prisma.sql`SELECT unnest(${ids})`));
  }
  if (team !== undefined) conditions.push(isOnSeatOf(Prisma.sql`${team}`));
  return Prisma.join(conditions, ' AND ');
}

/** @param accounts an array @param teams a query */
function isPaidBy(accounts: Prisma.Sql, teams: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`((r.account_id = ANY(${accounts}) AND r.seat_id = '') OR ${isOnSeatOf(teams)})`;
}

/** Names the accounts too, by which sums and records are indexed. */
function isOnSeatOf(teams: Prisma.Sql): Prisma.Sql {
  const seats = Prisma.sql`FROM seats WHERE team_id IN (${teams})`;
  return Prisma.sql`(r.account_id IN (SELECT account_id ${seats}) AND r.seat_id IN (SELECT id ${seats}))`;
}

function columnsOf({ groupBy, labels }: ReportQuery): Prisma.Sql[] {
  const columns = REPORT_GROUPINGS.filter((name) => groupBy.has(name)).map((name) => COLUMNS[name]);
  return labels.length === 0 ? columns : [...columns, LABELS];
}

function namesOf({ groupBy, labels }: ReportQuery): Prisma.Sql {
  const names = REPORT_GROUPINGS.map((name) => {
    const column = groupBy.has(name) ? COLUMNS[name] : Prisma.sql`NULL::text`;
    return Prisma.sql`${column} AS ${Prisma.raw(name)}`;
  });
  return Prisma.join([
    ...names,
    Prisma.sql`${labels.length === 0 ? Prisma.sql`NULL::text[]` : LABELS} AS labels`,
  ]);
}

function cursorOf({ groupBy, labels }: ReportQuery, after: GroupCursor): Prisma.Sql {
  const values = after.slice(0, groupBy.size).map((value) => Prisma.sql`${value}`);
  if (labels.length > 0) values.push(Prisma.sql`${after.slice(groupBy.size)}::text[]`);
  return Prisma.join(values);
}
