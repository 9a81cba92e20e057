import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';

const outcomeCounts = z.object({
  attempts: z.int(),
  failedAttempts: z.int(),
  /** Requests whose last attempt was at this provider. */
  requests: z.int(),
  failedRequests: z.int(),
  /** Callers (one per request) who left before the first byte, after a notable wait. */
  gaveUp: z.int(),
});
export type OutcomeCounts = z.infer<typeof outcomeCounts>;

/** Maximum number of accounts per model, provider and minute. */
export const MAX_ACCOUNTS = 32;

/**
 * Counts by account id, of at most `MAX_ACCOUNTS` accounts with the most failures: attempts, failed
 * attempts, requests, failed requests, given up.
 */
const accountOutcomes = z.record(z.string(), z.array(z.int()));
export type AccountOutcomes = z.infer<typeof accountOutcomes>;

const lastMinute = outcomeCounts.extend({
  modelId: z.string(),
  providerId: z.string(),
  minute: z.date(),
  accounts: accountOutcomes,
});
export type LastMinute = z.infer<typeof lastMinute>;

const minuteOutcomes = lastMinute.extend({
  latencyBuckets: z.array(z.int()),
  firstTokenBuckets: z.array(z.int()),
});
export type MinuteOutcomes = z.infer<typeof minuteOutcomes>;

const windowOutcomes = z.object({
  modelId: z.string(),
  providerId: z.string(),
  hour: outcomeCounts,
  day: outcomeCounts,
});
export type WindowOutcomes = z.infer<typeof windowOutcomes>;

const COUNTS = Prisma.sql`
  model_id AS "modelId", provider_id AS "providerId", minute, attempts, failed_attempts AS "failedAttempts",
  requests, failed_requests AS "failedRequests", gave_up AS "gaveUp", accounts`;

function sumsSince(from: Date): Prisma.Sql {
  const sum = (column: string) =>
    Prisma.sql`coalesce(sum(${Prisma.raw(column)}) FILTER (WHERE minute >= ${from}), 0)`;
  return Prisma.sql`jsonb_build_object(
    'attempts', ${sum('attempts')}, 'failedAttempts', ${sum('failed_attempts')},
    'requests', ${sum('requests')}, 'failedRequests', ${sum('failed_requests')}, 'gaveUp', ${sum('gave_up')}
  )`;
}

/** @param where condition on model_minutes, which has the last 25 hours */
export function selectRememberedMinutes(where = Prisma.sql`true`): Prisma.Sql {
  const columns = Prisma.sql`
    model_id, provider_id, minute, attempts, failed_attempts, requests, failed_requests, gave_up, accounts`;
  return Prisma.sql`
    SELECT ${columns} FROM model_minutes WHERE ${where}
    UNION ALL SELECT ${columns} FROM model_last_minutes`;
}

export class HealthStore extends PrismaStore {
  /** Reads the minutes since `from`; if they are few, cheap enough to run every two seconds. */
  async since(from: Date): Promise<MinuteOutcomes[]> {
    return await this.query(z.array(minuteOutcomes))`
      SELECT ${COUNTS}, latency_buckets AS "latencyBuckets", first_token_buckets AS "firstTokenBuckets"
      FROM model_minutes WHERE minute >= ${from}`;
  }

  /** Reads sums before `to`, from `hourFrom` and `dayFrom`; touches a day of rows. */
  async sums(dayFrom: Date, hourFrom: Date, to: Date): Promise<WindowOutcomes[]> {
    return await this.query(z.array(windowOutcomes))`
      SELECT model_id AS "modelId", provider_id AS "providerId", ${sumsSince(hourFrom)} AS hour,
        ${sumsSince(dayFrom)} AS day
      FROM model_minutes WHERE minute >= ${dayFrom} AND minute < ${to}
      GROUP BY model_id, provider_id`;
  }

  /** Reads the last minute before `to` per model and provider; touches a day of rows. */
  async lastMinutes(to: Date): Promise<LastMinute[]> {
    return await this.query(z.array(lastMinute))`
      SELECT DISTINCT ON (model_id, provider_id) ${COUNTS}
      FROM (${selectRememberedMinutes(Prisma.sql`minute < ${to}`)}) AS remembered
      ORDER BY model_id, provider_id, minute DESC`;
  }
}
