import { Prisma } from '@model-gateway/database';
import { UNITS, type UnitRule, USAGE_GROUPINGS, type UsageLabel } from '@model-gateway/shared';
import { z } from 'zod';
import { usedKeyMadeBy } from '../access/visible-keys-store.ts';
import { ReadingStore } from '../database/reading-store.ts';
import type { StoredKeyOwner } from '../keys/require-key-owner.ts';
import { type Period, selectPendingUsage, selectUsage } from '../roll-ups/usage-sums-store.ts';
import { coverPeriod } from './cover-period.ts';
import type { GroupCursor } from './group-cursor.ts';
import type { LabelFilter } from './label-query.ts';
import { selectLabelUsage } from './label-usage-store.ts';
import type { Grouping } from './usage-query.ts';
import { unitColumns } from './usage-store.ts';

export interface UsageFilter {
  owner: StoredKeyOwner;
  /** Only usage of keys that this member made; undefined: all. */
  memberId: string | undefined;
  /** Bucket width in seconds; 0: one bucket. */
  width: number;
  groupBy: ReadonlySet<Grouping>;
  labels: readonly UsageLabel[];
  labelFilters: readonly LabelFilter[];
  isSummed: boolean;
  /** Only these models; empty: all. */
  models: readonly string[];
}

export interface ListedUsage {
  buckets: readonly Period[];
  /** Lists only later groups of the first bucket; undefined: all. */
  after: GroupCursor | undefined;
  limit: number;
}

export const sums = z.object({
  requests: z.bigint(),
  ...unitColumns,
  charged: z.bigint(),
  /** What providers charge, with attempts whose responses were not used. */
  providerCost: z.bigint(),
});
/** Sums of usage; amounts in nano-USD. */
export type UsageSums = z.infer<typeof sums>;

const sumRows = z.array(
  sums.extend({
    /** Start of the bucket; null for the whole period. */
    bucket: z.date().nullable(),
    model: z.string().nullable(),
    key: z.string().nullable(),
    capability: z.string().nullable(),
    /** Values of the labels of the query, in its order; empty: none. */
    labels: z.array(z.string()).nullable(),
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

const LABELS = Prisma.sql`r.labels`;

const PENDING = Prisma.sql`pending`;
const HAS_REQUESTS = Prisma.sql`HAVING sum(r.requests) > 0`;

/** Sums rows of selectUsage `r`. */
export const SUMS = sumsOf(({ column }) => column, 'provider_cost');
/** Sums rows that are sums already, `r`. */
export const SUM_OF_SUMS = sumsOf(({ unit }) => unit, 'providerCost');

function sumsOf(columnOf: (rule: UnitRule) => string, providerCost: string): Prisma.Sql {
  const sum = (column: string, name: string) => `coalesce(sum(r."${column}"), 0)::bigint AS "${name}"`;
  const units = UNITS.map((rule) => sum(columnOf(rule), rule.unit));
  const money = [sum('charged', 'charged'), sum(providerCost, 'providerCost')];
  return Prisma.raw([sum('requests', 'requests'), ...units, ...money].join(', '));
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
    filter.width === 0 ? Prisma.sql`charged DESC, requests DESC, 2, 3, 4, 5` : Prisma.sql`1, 2, 3, 4, 5`;
  // Names the table first, because pg_stat_activity shows only the beginning. MATERIALIZED also prevents
  // parallel workers for few rows.
  return Prisma.sql`
    /* FROM usage_rollups */ WITH pending AS MATERIALIZED (
        ${selectPendingUsage(period, matchFilter(filter))}
      ),
      whole AS ${usageOf(period, { ...filter, labels: [] }, false)}
    SELECT NULL::timestamptz AS bucket, NULL AS model, NULL AS key, NULL AS capability, NULL::text[] AS labels, ${SUMS},
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
    FROM ${usageOf(run, filter, filter.groupBy.has('key'), filter.width)} AS r
    WHERE true ${start}
    GROUP BY ${groups} ${isByLabel(filter) ? HAS_REQUESTS : Prisma.empty} ORDER BY ${groups} LIMIT ${Prisma.raw(String(limit))}
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
    GROUP BY ${groups} ${isByLabel(filter) ? HAS_REQUESTS : Prisma.sql`HAVING count(*) > 0`} ${ordered} LIMIT ${Prisma.raw(String(limit))}
  )`;
}

/** @param bucketWidth rows get their bucket of this width, of which the period is made; undefined: none */
function usageOf(period: Period, filter: UsageFilter, byKey: boolean, bucketWidth?: number): Prisma.Sql {
  const where = matchFilter(filter);
  const buckets = bucketWidth === undefined ? {} : { bucketWidth };
  if (isByLabel(filter)) {
    const { isSummed, labelFilters: filters, labels: grouped } = filter;
    return Prisma.sql`(${selectLabelUsage({ period, where, grouped, filters, isSummed, ...buckets, pending: PENDING })})`;
  }
  const pieces = bucketWidth === undefined ? coverPeriod(period) : [{ ...period, width: bucketWidth }];
  return Prisma.sql`(${selectUsage({ pieces, where, byKey: byKey || filter.memberId !== undefined, ...buckets, pending: PENDING })})`;
}

function isByLabel({ labelFilters, labels }: UsageFilter): boolean {
  return labels.length > 0 || labelFilters.length > 0;
}

function matchFilter({ memberId, owner, models }: UsageFilter): Prisma.Sql {
  const isModel =
    models.length === 0 ? Prisma.empty : Prisma.sql`AND r.model_id = ANY(${[...models]}::text[])`;
  return Prisma.sql`r.account_id = ${owner.accountId} AND r.seat_id = ${owner.seatId ?? ''}
    AND ${usedKeyMadeBy({ memberId })} ${isModel}`;
}

function columnsOf({ groupBy, labels }: UsageFilter): Prisma.Sql[] {
  const columns = USAGE_GROUPINGS.filter((name) => groupBy.has(name)).map((name) => COLUMNS[name]);
  return labels.length === 0 ? columns : [...columns, LABELS];
}

function namesOf({ groupBy, labels }: UsageFilter): Prisma.Sql {
  const names = USAGE_GROUPINGS.map((name) => {
    const column = groupBy.has(name) ? COLUMNS[name] : Prisma.sql`NULL::text`;
    return Prisma.sql`${column} AS ${Prisma.raw(name)}`;
  });
  return Prisma.join([
    ...names,
    Prisma.sql`${labels.length === 0 ? Prisma.sql`NULL::text[]` : LABELS} AS labels`,
  ]);
}

function isAfter(columns: readonly Prisma.Sql[], after: GroupCursor): Prisma.Sql {
  const names = columns.filter((column) => column !== LABELS);
  const values = after.slice(0, names.length).map((value) => Prisma.sql`${value}`);
  if (names.length < columns.length) values.push(Prisma.sql`${after.slice(names.length)}::text[]`);
  return Prisma.sql`(${Prisma.join([...columns])}) > (${Prisma.join(values)})`;
}
