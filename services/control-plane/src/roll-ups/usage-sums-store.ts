import { Prisma } from '@model-gateway/database';
import { UNITS } from '@model-gateway/shared';
import { pendingUsage, pendingUsageOfAll } from './pending-usage-store.ts';

const DAY_SECONDS = 86_400;
const MINUTE_SECONDS = 60;

/** Unix seconds; excludes `end`. */
export interface Period {
  start: number;
  end: number;
}

/** Adjacent sums of one width in seconds. */
export interface Piece extends Period {
  width: number;
}

export interface UsageSelection {
  pieces: readonly Piece[];
  /** Conditions on account_id, seat_id and model_id of `r`, with `byKey` also key_id. */
  where: Prisma.Sql;
  /** Separates keys. Without it, days have one sum for all keys, and key_id is null. */
  byKey: boolean;
  /** True when `where` names no account. */
  allAccounts?: boolean;
  /** Seconds: rows get the start of their bucket of this width. Undefined: no bucket. */
  bucketWidth?: number;
  /**
   * Name of a query with at least the pending usage of this selection (selectPendingUsage), for statements
   * that select more than once: each selection from records is planned per partition.
   */
  pending?: Prisma.Sql;
}

/**
 * Selects usage in rows to add up: one SELECT per width, because Postgres misjudges a join with a list. Hours
 * and days contain minutes before the watermark; later minutes, then unsummed records, are added.
 */
export function selectUsage({
  pieces,
  where,
  byKey,
  allAccounts,
  bucketWidth,
  pending,
}: UsageSelection): Prisma.Sql {
  const columns = (keyId?: string) => usageColumns(bucketWidth, keyId);
  const rollups = ({ width, start, end }: Piece, from = at(start)) =>
    Prisma.sql`SELECT ${columns()} FROM usage_rollups r
      WHERE r.width = ${width}::int AND r.bucket >= ${from} AND r.bucket < ${at(end)} AND ${where}`;
  const selects = pieces.flatMap((piece) => {
    if (byKey || piece.width !== DAY_SECONDS) return [rollups(piece)];
    return [
      Prisma.sql`SELECT ${columns('NULL::text')} FROM usage_days r
        WHERE r.bucket >= ${at(piece.start)} AND r.bucket < ${at(piece.end)} AND ${where}`,
    ];
  });
  const wide = pieces.filter(({ width }) => width > MINUTE_SECONDS);
  const [firstWide] = wide;
  const lastWide = wide.at(-1);
  if (firstWide !== undefined && lastWide !== undefined) {
    const minutes = { width: MINUTE_SECONDS, start: firstWide.start, end: lastWide.end };
    const from = Prisma.sql`greatest(${at(minutes.start)}, (SELECT until FROM rollup_watermark))`;
    selects.push(rollups(minutes, from));
  }
  const [first] = pieces;
  const last = pieces.at(-1);
  if (first !== undefined && last !== undefined) {
    const period = { start: first.start, end: last.end };
    const from = pending ?? Prisma.sql`(${selectPendingUsage(period, where, allAccounts)})`;
    selects.push(Prisma.sql`SELECT ${columns()} FROM ${from} AS r WHERE ${isIn(period)}`);
  }
  return Prisma.join(selects, ' UNION ALL ');
}

/** Returns the columns of selectUsage, from sums or RECORDS `r`. */
export function usageColumns(bucketWidth?: number, keyId = 'r.key_id'): Prisma.Sql {
  const bucket =
    bucketWidth === undefined
      ? ''
      : `date_bin(make_interval(secs => ${bucketWidth}), r.bucket, 'epoch') AS bucket, `;
  const units = UNITS.map(({ column }) => `r.${column}`).join(', ');
  return Prisma.raw(
    `r.account_id, r.seat_id, ${bucket}${keyId} AS key_id, r.model_id, r.capability, r.requests, ${units}, r.charged,
      coalesce(r.provider_cost, r.charged) AS provider_cost`,
  );
}

/** Selects records of a period that no sum contains yet. */
export function selectPendingUsage(period: Period, where: Prisma.Sql, allAccounts = false): Prisma.Sql {
  const conditions = Prisma.sql`${isIn(period)} AND ${where}`;
  return allAccounts ? pendingUsageOfAll(conditions) : pendingUsage(conditions);
}

export function thisMonth(now = new Date()): Piece {
  const monthStart = (months: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months) / 1_000;
  return { width: DAY_SECONDS, start: monthStart(0), end: monthStart(1) };
}

export function isIn({ start, end }: Period): Prisma.Sql {
  return Prisma.sql`r.bucket >= ${at(start)} AND r.bucket < ${at(end)}`;
}

function at(unixSeconds: number): Prisma.Sql {
  return Prisma.sql`${new Date(unixSeconds * 1_000)}::timestamptz`;
}
