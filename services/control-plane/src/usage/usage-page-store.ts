import { Prisma } from '@model-gateway/database';
import { UNITS, type UnitRule, USAGE_GROUPINGS } from '@model-gateway/shared';
import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import type { StoredKeyOwner } from '../keys/require-key-owner.ts';
import { type Period, selectPendingUsage, selectUsage } from '../roll-ups/usage-sums-store.ts';
import { coverPeriod } from './cover-period.ts';
import type { GroupCursor } from './group-cursor.ts';
import type { Grouping } from './usage-query.ts';
import { unitColumns } from './usage-store.ts';

export interface UsageFilter {
  owner: StoredKeyOwner;
  /** Bucket width in seconds; 0: one bucket. */
  width: number;
  groupBy: ReadonlySet<Grouping>;
  /** Only these models; empty: all. */
  models: readonly string[];
}

export interface ListedUsage {
  buckets: readonly Period[];
  /** Lists only later groups of the first bucket; undefined: all. */
  after: GroupCursor | undefined;
  limit: number;
}

export const sums = z.object({ requests: z.bigint(), ...unitColumns, charged: z.bigint() });
/** Sums of usage; charged in nano-USD. */
export type UsageSums = z.infer<typeof sums>;

const sumRows = z.array(
  sums.extend({
    /** Start of the bucket; null for the whole period. */
    bucket: z.date().nullable(),
    model: z.string().nullable(),
    key: z.string().nullable(),
    capability: z.string().nullable(),
    /** Null when not grouped by key, or when the key is deleted. */
    keyName: z.string().nullable(),
    keyKind: z.string().nullable(),
    keyPrefix: z.string().nullable(),
  }),
);
export type UsageSumRow = z.infer<typeof sumRows>[number] & { bucket: Date };

const COLUMNS: Record<Grouping, Prisma.Sql> = {
  model: Prisma.sql`r.model_id`,
  key: Prisma.sql`r.key_id`,
  capability: Prisma.sql`r.capability`,
};

const PENDING = Prisma.sql`pending`;

/** Sums rows of selectUsage `r`. */
export const SUMS = sumsOf(({ column }) => column);
/** Sums rows that are sums already, `r`. */
export const SUM_OF_SUMS = sumsOf(({ unit }) => unit);

function sumsOf(columnOf: (rule: UnitRule) => string): Prisma.Sql {
  const sum = (column: string, name: string) => `coalesce(sum(r."${column}"), 0)::bigint AS "${name}"`;
  const units = UNITS.map((rule) => sum(columnOf(rule), rule.unit));
  return Prisma.raw([sum('requests', 'requests'), ...units, sum('charged', 'charged')].join(', '));
}

/**
 * Reads usage from roll-ups plus the records of the last minute. The database returns only the requested
 * groups, however many roll-ups there are.
 */
export class UsagePageStore extends ReadingStore {
  /** Reads totals and groups in one statement, so that they agree. */
  async page(
    period: Period,
    filter: UsageFilter,
    listed: ListedUsage,
    signal: AbortSignal,
  ): Promise<{ totals: UsageSums; groups: UsageSumRow[] }> {
    const rows = sumRows.parse(await this.reads.query(pageStatement(period, filter, listed), signal));
    const totals = rows.find(({ bucket }) => bucket === null);
    if (totals === undefined) throw new Error('usage without its totals');
    return { totals, groups: rows.filter(isInBucket) };
  }
}

function isInBucket(row: z.infer<typeof sumRows>[number]): row is UsageSumRow {
  return row.bucket !== null;
}

function pageStatement(period: Period, filter: UsageFilter, listed: ListedUsage): Prisma.Sql {
  const lists = statementsOf(filter, listed);
  // Literal limit, because the plan depends on it.
  const limit = Prisma.raw(String(listed.limit));
  const order =
    filter.width === 0 ? Prisma.sql`charged DESC, requests DESC, 2, 3, 4` : Prisma.sql`1, 2, 3, 4`;
  // Names the table first, because pg_stat_activity shows only the beginning. MATERIALIZED also prevents
  // parallel workers for few rows.
  return Prisma.sql`
    /* FROM usage_rollups */ WITH pending AS MATERIALIZED (
        ${selectPendingUsage(period, matchFilter(filter))}
      ),
      whole AS ${usageOf(period, filter, false)}
    SELECT NULL::timestamptz AS bucket, NULL AS model, NULL AS key, NULL AS capability, ${SUMS},
      NULL AS "keyName", NULL AS "keyKind", NULL AS "keyPrefix"
    FROM whole AS r
    UNION ALL (
      SELECT u.*, k.name, k.kind, k.display_prefix
      FROM (
        SELECT * FROM (${Prisma.join(lists, ' UNION ALL ')}) AS listed ORDER BY ${order} LIMIT ${limit}
      ) AS u
      LEFT JOIN api_keys k ON k.id = u.key
      ORDER BY ${order}
    )`;
}

function statementsOf(filter: UsageFilter, { buckets, after, limit }: ListedUsage): Prisma.Sql[] {
  const { width } = filter;
  const isWhole = ({ start, end }: Period) => start % width === 0 && end - start === width;
  const whole = buckets.filter(isWhole);
  const [first] = buckets;
  const from = (bucket: Period | undefined) => (bucket === first ? after : undefined);
  const statements = buckets
    .filter((bucket) => !isWhole(bucket))
    .map((bucket) => cutBucket(filter, bucket, from(bucket), limit));
  const [firstWhole] = whole;
  const lastWhole = whole.at(-1);
  if (firstWhole !== undefined && lastWhole !== undefined) {
    const run = { start: firstWhole.start, end: lastWhole.end };
    statements.push(wholeBuckets(filter, run, from(firstWhole), limit));
  }
  return statements;
}

function wholeBuckets(
  filter: UsageFilter,
  run: Period,
  after: GroupCursor | undefined,
  limit: number,
): Prisma.Sql {
  const columns = columnsOf(filter);
  const start =
    after === undefined
      ? Prisma.empty
      : Prisma.sql`AND (r.bucket > ${new Date(run.start * 1_000)} OR ${isAfter(columns, after)})`;
  const groups = Prisma.join([Prisma.sql`r.bucket`, ...columns]);
  return Prisma.sql`(
    SELECT r.bucket, ${namesOf(filter)}, ${SUMS}
    FROM (${selectUsage({
      pieces: [{ ...run, width: filter.width }],
      where: matchFilter(filter),
      byKey: filter.groupBy.has('key'),
      bucketWidth: filter.width,
      pending: PENDING,
    })}) AS r
    WHERE true ${start}
    GROUP BY ${groups} ORDER BY ${groups} LIMIT ${Prisma.raw(String(limit))}
  )`;
}

/** Reads a bucket from narrower roll-ups, or a whole period from the widest. */
function cutBucket(
  filter: UsageFilter,
  bucket: Period,
  after: GroupCursor | undefined,
  limit: number,
): Prisma.Sql {
  const columns = columnsOf(filter);
  const start = after === undefined ? Prisma.empty : Prisma.sql`WHERE ${isAfter(columns, after)}`;
  const groups = columns.length === 0 ? Prisma.sql`()` : Prisma.join(columns);
  const byCost = [Prisma.sql`charged DESC`, Prisma.sql`requests DESC`];
  const order = [...(filter.width === 0 ? byCost : []), ...columns];
  const ordered = order.length === 0 ? Prisma.empty : Prisma.sql`ORDER BY ${Prisma.join(order)}`;
  return Prisma.sql`(
    SELECT ${new Date(bucket.start * 1_000)}::timestamptz AS bucket, ${namesOf(filter)}, ${SUMS}
    FROM ${usageOf(bucket, filter, filter.groupBy.has('key'))} AS r ${start}
    GROUP BY ${groups} HAVING count(*) > 0 ${ordered} LIMIT ${Prisma.raw(String(limit))}
  )`;
}

function usageOf(period: Period, filter: UsageFilter, byKey: boolean): Prisma.Sql {
  return Prisma.sql`(${selectUsage({ pieces: coverPeriod(period), where: matchFilter(filter), byKey, pending: PENDING })})`;
}

function matchFilter({ owner, models }: UsageFilter): Prisma.Sql {
  const isModel =
    models.length === 0 ? Prisma.empty : Prisma.sql`AND r.model_id = ANY(${[...models]}::text[])`;
  return Prisma.sql`r.account_id = ${owner.accountId} AND r.seat_id = ${owner.seatId ?? ''} ${isModel}`;
}

function columnsOf({ groupBy }: UsageFilter): Prisma.Sql[] {
  return USAGE_GROUPINGS.filter((name) => groupBy.has(name)).map((name) => COLUMNS[name]);
}

function namesOf({ groupBy }: UsageFilter): Prisma.Sql {
  return Prisma.join(
    USAGE_GROUPINGS.map((name) => {
      const column = groupBy.has(name) ? COLUMNS[name] : Prisma.sql`NULL::text`;
      return Prisma.sql`${column} AS ${Prisma.raw(name)}`;
    }),
  );
}

function isAfter(columns: readonly Prisma.Sql[], after: GroupCursor): Prisma.Sql {
  return Prisma.sql`(${Prisma.join([...columns])}) > (${Prisma.join([...after])})`;
}
