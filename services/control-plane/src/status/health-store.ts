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

const lastMinute = outcomeCounts.extend({
  modelId: z.string(),
  providerId: z.string(),
  minute: z.date(),
});
export type LastMinute = z.infer<typeof lastMinute>;

const minuteOutcomes = lastMinute.extend({
  latencyBuckets: z.array(z.int()),
  firstTokenBuckets: z.array(z.int()),
});
export type MinuteOutcomes = z.infer<typeof minuteOutcomes>;

export interface WindowOutcomes {
  modelId: string;
  providerId: string;
  hour: OutcomeCounts;
  day: OutcomeCounts;
}

const count = z.bigint().transform(Number);
const windowRows = z.array(
  z
    .object({
      modelId: z.string(),
      providerId: z.string(),
      hourCounts: z.tuple([count, count, count, count, count]),
      dayCounts: z.tuple([count, count, count, count, count]),
    })
    .transform(({ modelId, providerId, hourCounts, dayCounts }) => ({
      modelId,
      providerId,
      hour: countsOf(hourCounts),
      day: countsOf(dayCounts),
    })),
);

export class HealthStore extends PrismaStore {
  /** For a few minutes this is cheap enough to run every two seconds. */
  async since(from: Date): Promise<MinuteOutcomes[]> {
    return z.array(minuteOutcomes).parse(
      await this.prisma.$queryRaw`
        SELECT model_id AS "modelId", provider_id AS "providerId", minute, attempts,
          failed_attempts AS "failedAttempts", requests, failed_requests AS "failedRequests",
          gave_up AS "gaveUp", latency_buckets AS "latencyBuckets", first_token_buckets AS "firstTokenBuckets"
        FROM model_minutes WHERE minute >= ${from}`,
    );
  }

  /** Reads sums before `to`, from `hourFrom` and `dayFrom`; touches a day of rows. */
  async sums(dayFrom: Date, hourFrom: Date, to: Date): Promise<WindowOutcomes[]> {
    return windowRows.parse(
      await this.prisma.$queryRaw`
        SELECT model_id AS "modelId", provider_id AS "providerId",
          ARRAY[
            coalesce(sum(attempts) FILTER (WHERE minute >= ${hourFrom}), 0),
            coalesce(sum(failed_attempts) FILTER (WHERE minute >= ${hourFrom}), 0),
            coalesce(sum(requests) FILTER (WHERE minute >= ${hourFrom}), 0),
            coalesce(sum(failed_requests) FILTER (WHERE minute >= ${hourFrom}), 0),
            coalesce(sum(gave_up) FILTER (WHERE minute >= ${hourFrom}), 0)
          ]::bigint[] AS "hourCounts",
          ARRAY[
            sum(attempts), sum(failed_attempts), sum(requests), sum(failed_requests), sum(gave_up)
          ]::bigint[] AS "dayCounts"
        FROM model_minutes WHERE minute >= ${dayFrom} AND minute < ${to}
        GROUP BY model_id, provider_id`,
    );
  }

  /** Reads the last minute before `to` per model and provider; touches a day of rows. */
  async lastMinutes(to: Date): Promise<LastMinute[]> {
    return z.array(lastMinute).parse(
      await this.prisma.$queryRaw`
        SELECT DISTINCT ON (model_id, provider_id) model_id AS "modelId", provider_id AS "providerId", minute,
          attempts, failed_attempts AS "failedAttempts", requests, failed_requests AS "failedRequests",
          gave_up AS "gaveUp"
        FROM (
          SELECT model_id, provider_id, minute, attempts, failed_attempts, requests, failed_requests, gave_up
          FROM model_minutes WHERE minute < ${to}
          UNION ALL
          SELECT model_id, provider_id, minute, attempts, failed_attempts, requests, failed_requests, gave_up
          FROM model_last_minutes
        ) AS remembered
        ORDER BY model_id, provider_id, minute DESC`,
    );
  }
}

function countsOf([attempts, failedAttempts, requests, failedRequests, gaveUp]: [
  number,
  number,
  number,
  number,
  number,
]): OutcomeCounts {
  return { attempts, failedAttempts, requests, failedRequests, gaveUp };
}
