import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import { type Period, selectUsage } from '../roll-ups/usage-sums-store.ts';
import { BUCKET_COUNT } from '../status/latency-histogram.ts';
import { coverPeriod } from '../usage/cover-period.ts';
import type { OverviewPeriod } from './overview-period.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
/** Table and column of the start, by seconds. */
const TABLES: Record<number, readonly [string, string]> = {
  [HOUR]: ['model_hours', 'hour'],
  [DAY]: ['model_days', 'day'],
};

const usageRow = z.object({
  modelId: z.string(),
  providerId: z.string(),
  /** False: a week before. */
  isNow: z.boolean(),
  requests: z.coerce.number(),
  /** Nano-USD. */
  charged: z.coerce.bigint(),
  /** What providers charge, with unused attempts. */
  providerCost: z.coerce.bigint(),
});
export type UsageRow = z.infer<typeof usageRow>;

const counts = z.array(z.coerce.number());
const outcomeRow = z.object({
  modelId: z.string(),
  providerId: z.string(),
  isNow: z.boolean(),
  attempts: z.coerce.number(),
  failedAttempts: z.coerce.number(),
  requests: z.coerce.number(),
  failedRequests: z.coerce.number(),
  gaveUp: z.coerce.number(),
  /** Counts per bucket of latency-histogram.ts. */
  latency: counts,
  firstToken: counts,
});
export type OutcomeRow = z.infer<typeof outcomeRow>;

const bucketRow = z.object({
  bucket: z.date(),
  requests: z.coerce.number(),
  charged: z.coerce.bigint(),
  providerCost: z.coerce.bigint(),
  errors: z.coerce.number(),
});
export type BucketRow = z.infer<typeof bucketRow>;

const accountRow = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  requests: z.coerce.number(),
  charged: z.coerce.bigint(),
  providerCost: z.coerce.bigint(),
});
export type AccountRow = z.infer<typeof accountRow>;

export class OverviewStore extends ReadingStore {
  /** Reads requests and spend by model and provider, of the period and a week before. */
  async usage({ now, previous }: OverviewPeriod, signal: AbortSignal): Promise<UsageRow[]> {
    const of = (period: Period, isNow: boolean) => Prisma.sql`
      SELECT model_id, provider_id, ${isNow}::boolean AS is_now, requests, charged,
        coalesce(provider_cost, charged) AS provider_cost
      FROM model_usage WHERE ${isInSums(period)}`;
    return await this.query(z.array(usageRow), signal)`
      SELECT model_id AS "modelId", provider_id AS "providerId", is_now AS "isNow",
        sum(requests) AS requests, sum(charged) AS charged, sum(provider_cost) AS "providerCost"
      FROM (${of(now, true)} UNION ALL ${of(previous, false)}) AS r
      GROUP BY 1, 2, 3`;
  }

  /**
   * Reads outcomes by model and provider. Those of more than an hour, and of a week before, are those of
   * whole hours (UTC).
   */
  async outcomes({ now, previous }: OverviewPeriod, signal: AbortSignal): Promise<OutcomeRow[]> {
    const rows = await Promise.all([
      this.#outcomesOf(now, isShort(now), true, signal),
      this.#outcomesOf(previous, false, false, signal),
    ]);
    return rows.flat();
  }

  async #outcomesOf(period: Period, byMinute: boolean, isNow: boolean, signal: AbortSignal) {
    return await this.query(z.array(outcomeRow), signal)`
      SELECT model_id AS "modelId", provider_id AS "providerId", ${isNow}::boolean AS "isNow",
        sum(attempts) AS attempts, sum(failed_attempts) AS "failedAttempts", sum(requests) AS requests,
        sum(failed_requests) AS "failedRequests", sum(gave_up) AS "gaveUp",
        ${sumOf('latency_buckets')} AS latency, ${sumOf('first_token_buckets')} AS "firstToken"
      FROM ${outcomesIn(period, byMinute)} GROUP BY 1, 2`;
  }

  /** Reads the chart. Buckets without requests are left out. */
  async series({ bucketSeconds, now }: OverviewPeriod, signal: AbortSignal): Promise<BucketRow[]> {
    const bin = (column: string) =>
      Prisma.sql`date_bin(make_interval(secs => ${bucketSeconds}), ${Prisma.raw(column)}, 'epoch')`;
    return await this.query(z.array(bucketRow), signal)`
      SELECT bucket, sum(requests) AS requests, sum(charged) AS charged, sum(provider_cost) AS "providerCost",
        sum(errors) AS errors
      FROM (
        SELECT ${bin('bucket')} AS bucket, requests, charged, coalesce(provider_cost, charged) AS provider_cost,
          0 AS errors
        FROM model_usage WHERE ${isInSums(now, bucketSeconds)}
        UNION ALL
        SELECT ${bin('at')}, 0, 0, 0, failed_requests FROM ${outcomesIn(now, isShort(now), bucketSeconds)}
      ) AS r
      GROUP BY 1 ORDER BY 1`;
  }

  /** Reads the accounts that spent most, first the largest. */
  async accounts(period: Period, limit: number, signal: AbortSignal): Promise<AccountRow[]> {
    const pieces = coverPeriod(period);
    const usage = selectUsage({ pieces, where: Prisma.sql`true`, byKey: false, allAccounts: true });
    return await this.query(z.array(accountRow), signal)`
      SELECT a.id, a.name, a.email, top.requests, top.charged, top.provider_cost AS "providerCost"
      FROM (
        SELECT account_id, sum(requests) AS requests, sum(charged) AS charged,
          sum(provider_cost) AS provider_cost
        FROM (${usage}) AS r
        GROUP BY 1 HAVING sum(requests) > 0
        ORDER BY charged DESC, requests DESC, account_id LIMIT ${limit}
      ) AS top JOIN accounts a ON a.id = top.account_id
      ORDER BY top.charged DESC, top.requests DESC, a.id`;
  }
}

function isShort({ start, end }: Period): boolean {
  return end - start <= HOUR;
}

/** Selects sums of days, and of hours and minutes at the edges. @param widest seconds */
function isInSums(period: Period, widest = DAY): Prisma.Sql {
  const pieces = coverPeriod(period, widest).map(
    ({ width, start, end }) =>
      Prisma.sql`(width = ${width}::int AND bucket >= ${at(start)} AND bucket < ${at(end)})`,
  );
  return Prisma.sql`(${Prisma.join(pieces, ' OR ')})`;
}

/** Selects whole days, hours at the edges, or minutes of a short period. @param widest seconds */
function outcomesIn({ start, end }: Period, byMinute: boolean, widest = DAY): Prisma.Sql {
  const hours = { start: Math.floor(start / HOUR) * HOUR, end: Math.ceil(end / HOUR) * HOUR };
  const pieces = byMinute ? [{ start, end, width: 60 }] : coverPeriod(hours, widest);
  const selects = pieces.map((piece) => {
    const [table, column] = TABLES[piece.width] ?? ['model_minutes', 'minute'];
    const time = Prisma.raw(column);
    return Prisma.sql`
      SELECT model_id, provider_id, ${time} AS at, attempts, failed_attempts, requests, failed_requests, gave_up,
        latency_buckets, first_token_buckets
      FROM ${Prisma.raw(table)} WHERE ${time} >= ${at(piece.start)} AND ${time} < ${at(piece.end)}`;
  });
  return Prisma.sql`(${Prisma.join(selects, ' UNION ALL ')}) AS outcomes`;
}

/** Adds histograms up per bucket: five times faster than unnesting them. */
function sumOf(column: string): Prisma.Sql {
  const sums = Array.from({ length: BUCKET_COUNT }, (_, index) => `sum(${column}[${index + 1}])`);
  return Prisma.raw(`ARRAY[${sums.join(', ')}]`);
}

function at(unixSeconds: number): Prisma.Sql {
  return Prisma.sql`${new Date(unixSeconds * 1_000)}::timestamptz`;
}
