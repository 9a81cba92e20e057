import { Prisma } from '@model-gateway/database';
import { UNITS } from '@model-gateway/shared';
import { pendingUsage, pendingUsageOfAll } from './pending-usage-store.ts';

const DAY_SECONDS = 86_400;
const MINUTE_SECONDS = 60;

/** A period in Unix seconds, without its `end`. */
export interface Period {
  start: number;
  end: number;
}

/** Sums of one width, in seconds, that follow each other. */
export interface Piece extends Period {
  width: number;
}

/** Which sums are read. */
export interface UsageSelection {
  /** They follow each other, without a gap. */
  pieces: readonly Piece[];
  /**
   * Whose usage it is: conditions on account_id, seat_id and model_id, and with `byKey` also on key_id, under the
   * name r.
   */
  of: Prisma.Sql;
  /** Whether the keys are told apart. Without it, days have one sum for all keys, and key_id is null there. */
  byKey: boolean;
  /** `of` names no account. */
  ofAll?: boolean;
  /** What each row has of its bucket; seconds: where its bucket of that width starts; undefined: nothing. */
  bucketWidth?: number;
  /**
   * The name of a query with what is pending of this selection and maybe of other times (pendingIn), for a statement
   * that selects more than once: each selection from the records is planned for each partition.
   */
  pending?: Prisma.Sql;
}

/**
 * Selects what was used in pieces of time, in rows that are to be added up. There is a SELECT for each width. If a
 * list of widths were joined instead, Postgres would not see how few rows they select.
 *
 * Hours and days have all minutes before the watermark; those since then are selected one by one, and after them the
 * records that no minute has yet.
 */
export function usageIn({ pieces, of, byKey, ofAll, bucketWidth, pending }: UsageSelection): Prisma.Sql {
  const columns = (keyId = 'r.key_id') => {
    const bucket =
      bucketWidth === undefined
        ? ''
        : `date_bin(make_interval(secs => ${bucketWidth}), r.bucket, 'epoch') AS bucket, `;
    const units = UNITS.map(({ column }) => `r.${column}`).join(', ');
    return Prisma.raw(
      `r.account_id, r.seat_id, ${bucket}${keyId} AS key_id, r.model_id, r.capability, r.requests, ${units}, r.charged`,
    );
  };
  const rollups = (
    { width, start, end }: Piece,
    until = Prisma.sql`${at(end)}`,
    from = Prisma.sql`${at(start)}`,
  ) =>
    Prisma.sql`SELECT ${columns()} FROM usage_rollups r
      WHERE r.width = ${width}::int AND r.bucket >= ${from} AND r.bucket < ${until} AND ${of}`;
  const selects = pieces.flatMap((piece) => {
    if (byKey || piece.width !== DAY_SECONDS) return [rollups(piece)];
    return [
      Prisma.sql`SELECT ${columns('NULL::text')} FROM usage_days r
        WHERE r.bucket >= ${at(piece.start)} AND r.bucket < ${at(piece.end)} AND ${of}`,
    ];
  });
  const wide = pieces.filter(({ width }) => width > MINUTE_SECONDS);
  const [firstWide] = wide;
  const lastWide = wide.at(-1);
  if (firstWide !== undefined && lastWide !== undefined) {
    const lacking = { width: MINUTE_SECONDS, start: firstWide.start, end: lastWide.end };
    const from = Prisma.sql`greatest(${at(lacking.start)}, (SELECT until FROM rollup_watermark))`;
    selects.push(rollups(lacking, undefined, from));
  }
  const [first] = pieces;
  const last = pieces.at(-1);
  if (first !== undefined && last !== undefined) {
    const period = { start: first.start, end: last.end };
    const from = pending ?? Prisma.sql`(${pendingIn(period, of, ofAll)})`;
    selects.push(Prisma.sql`SELECT ${columns()} FROM ${from} AS r WHERE ${isIn(period)}`);
  }
  return Prisma.join(selects, ' UNION ALL ');
}

/** Selects the records of a period that no sum has yet. */
export function pendingIn(period: Period, of: Prisma.Sql, ofAll = false): Prisma.Sql {
  const conditions = Prisma.sql`${isIn(period)} AND ${of}`;
  return ofAll ? pendingUsageOfAll(conditions) : pendingUsage(conditions);
}

/** The days of the calendar month (UTC). */
export function thisMonth(now = new Date()): Piece {
  const monthStart = (months: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months) / 1_000;
  return { width: DAY_SECONDS, start: monthStart(0), end: monthStart(1) };
}

function isIn({ start, end }: Period): Prisma.Sql {
  return Prisma.sql`r.bucket >= ${at(start)} AND r.bucket < ${at(end)}`;
}

function at(unixSeconds: number): Prisma.Sql {
  return Prisma.sql`${new Date(unixSeconds * 1_000)}::timestamptz`;
}
