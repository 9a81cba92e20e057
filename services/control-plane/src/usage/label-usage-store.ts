import { Prisma } from '@model-gateway/database';
import { OTHER_VALUES, TAG_LABEL, UNITS, type UsageLabel } from '@model-gateway/shared';
import { arrivedFor } from '../partitions/arrival-store.ts';
import { RECORDS } from '../roll-ups/pending-usage-store.ts';
import { isIn, type Period, selectUsage, usageColumns } from '../roll-ups/usage-sums-store.ts';
import type { LabelFilter } from './label-query.ts';

const DAY = 86_400;

export interface LabelSelection {
  period: Period;
  /** Conditions on account_id, seat_id and model_id of `r`, and on key_id if not `isSummed`. */
  where: Prisma.Sql;
  /** Labels whose values each row has in `labels`, in this order; empty: none. */
  grouped: readonly UsageLabel[];
  filters: readonly LabelFilter[];
  /** True to read whole days from daily sums (isSummedByLabel). */
  isSummed: boolean;
  /** Seconds. Rows get the start of their bucket of this width; undefined: no bucket. */
  bucketWidth?: number | undefined;
  /** Relation with at least the pending usage of the selection (selectPendingUsage). */
  pending: Prisma.Sql;
}

/**
 * Selects usage by label, in rows to add up. Rows of the group without a label may be negative: its usage is
 * all usage less the labelled. Whole days come from sums; the rest of the period, and values that sums do not
 * keep apart, from records.
 */
export function selectLabelUsage(selection: LabelSelection): Prisma.Sql {
  const { period, isSummed } = selection;
  const isUntilNow = period.end * 1_000 >= Date.now();
  const days = {
    start: Math.ceil(period.start / DAY) * DAY,
    end: (isUntilNow ? Math.ceil(period.end / DAY) : Math.floor(period.end / DAY)) * DAY,
  };
  if (!isSummed || days.start >= days.end) return fromRecords(selection, period);
  const before = { start: period.start, end: days.start };
  const after = { start: days.end, end: period.end };
  const edges = [before, after].filter(({ start, end }) => start < end);
  return Prisma.join(
    [fromSums(selection, days), ...edges.map((edge) => fromRecords(selection, edge))],
    ' UNION ALL ',
  );
}

function fromRecords({ bucketWidth, filters, grouped, where }: LabelSelection, period: Period): Prisma.Sql {
  return Prisma.sql`
    SELECT ${usageColumns(bucketWidth)}, ${labelsOf(grouped)} AS labels FROM ${RECORDS} AS r
    WHERE ${where} AND ${isIn(period)} AND ${arrived(period)} AND ${matchesAll(filters)}`;
}

function fromSums(selection: LabelSelection, days: Period): Prisma.Sql {
  const { bucketWidth, filters, grouped, pending, where } = selection;
  const [filter] = filters;
  const label = filter?.label ?? grouped[0];
  if (label === undefined) throw new Error('usage by label was selected without a label');
  const columns = usageColumns(bucketWidth, 'NULL::text');
  const ofDays = Prisma.sql`r.label = ${label} AND ${isIn(days)} AND ${where}`;
  if (filter === undefined) {
    const labelled = Prisma.sql`
      SELECT ${columns}, CASE r.value WHEN '' THEN ${OTHER_VALUES} ELSE r.value END AS value
      FROM usage_label_days r WHERE ${ofDays}
      UNION ALL
      SELECT ${columns}, ${labelOf(label)} FROM ${pending} AS r WHERE ${isIn(days)} AND ${labelOf(label)} <> ''`;
    const all = selectUsage({
      pieces: [{ ...days, width: DAY }],
      where,
      byKey: false,
      ...bucketOf(bucketWidth),
      pending,
    });
    return Prisma.sql`
      SELECT ${signedColumns(bucketWidth)}, ARRAY[CASE sign WHEN 1 THEN r.value ELSE '' END] AS labels
      FROM (${labelled}) AS r, (VALUES (1), (-1)) AS signs (sign)
      UNION ALL
      SELECT r.*, ARRAY[''] AS labels FROM (${all}) AS r`;
  }
  const isWanted = (value: Prisma.Sql) => Prisma.sql`${value} = ANY(${[...filter.values]}::text[])`;
  const labels = (value: Prisma.Sql) => (grouped.length === 0 ? NO_LABELS : Prisma.sql`ARRAY[${value}]`);
  return Prisma.sql`
    SELECT ${columns}, ${labels(Prisma.sql`r.value`)} AS labels FROM usage_label_days r
    WHERE ${ofDays} AND ${isWanted(Prisma.sql`r.value`)}
    UNION ALL
    SELECT ${columns}, ${labels(labelOf(label))} FROM ${pending} AS r WHERE ${isIn(days)} AND ${isWanted(labelOf(label))}
    UNION ALL
    SELECT ${columns}, ${labels(labelOf(label))}
    FROM (
      SELECT DISTINCT r.account_id, r.bucket FROM usage_label_days r WHERE ${ofDays} AND r.value = ''
    ) AS full_day, LATERAL (
      SELECT * FROM ${RECORDS} AS r
      WHERE r.account_id = full_day.account_id AND r.bucket >= full_day.bucket
        AND r.bucket < full_day.bucket + interval '24 hours' AND ${where} AND ${arrived(days)}
        AND ${isWanted(labelOf(label))} AND r.settlement <> ALL(ARRAY(SELECT number FROM pending_settlements))
        AND NOT EXISTS (
          SELECT FROM usage_label_days kept
          WHERE kept.account_id = full_day.account_id AND kept.label = ${label} AND kept.bucket = full_day.bucket
            AND kept.value = ${labelOf(label)}
        )
    ) AS r`;
}

const NO_LABELS = Prisma.sql`NULL::text[]`;

function labelsOf(labels: readonly UsageLabel[]): Prisma.Sql {
  return labels.length === 0 ? NO_LABELS : Prisma.sql`ARRAY[${Prisma.join(labels.map(labelOf))}]::text[]`;
}

/** Selects a label of a record `r`; empty: none. */
function labelOf(label: UsageLabel): Prisma.Sql {
  if (label === 'end_user') return Prisma.sql`coalesce(r.end_user, '')`;
  if (label === 'session') return Prisma.sql`coalesce(r.session, '')`;
  return Prisma.sql`coalesce(r.tags->>${label.slice(TAG_LABEL.length)}, '')`;
}

/** Matches records `r` by all filters. */
export function matchesAll(filters: readonly LabelFilter[]): Prisma.Sql {
  if (filters.length === 0) return Prisma.sql`true`;
  const conditions = filters.map(
    ({ label, values }) => Prisma.sql`${labelOf(label)} = ANY(${[...values]}::text[])`,
  );
  return Prisma.join(conditions, ' AND ');
}

function arrived({ start, end }: Period): Prisma.Sql {
  return arrivedFor({ startMs: start * 1_000, endMs: end * 1_000 });
}

function bucketOf(bucketWidth: number | undefined) {
  return bucketWidth === undefined ? {} : { bucketWidth };
}

function signedColumns(bucketWidth: number | undefined): Prisma.Sql {
  const counts = ['requests', ...UNITS.map(({ column }) => column), 'charged', 'provider_cost'];
  const names = [
    'account_id',
    'seat_id',
    ...(bucketWidth === undefined ? [] : ['bucket']),
    'key_id',
    'model_id',
    'capability',
  ];
  return Prisma.raw(
    [...names.map((name) => `r.${name}`), ...counts.map((count) => `sign * r.${count} AS ${count}`)].join(
      ', ',
    ),
  );
}
