import type { PrismaClient } from '@model-gateway/database';
import { z } from 'zod';

/** What a model did at a provider within one minute. */
export interface MinuteOutcomes {
  modelId: string;
  providerId: string;
  /** When the minute began. */
  minute: Date;
  attempts: number;
  failedAttempts: number;
  /** Requests whose last attempt was at this provider. */
  requests: number;
  failedRequests: number;
  /** Counts of status/latency-histogram.ts. */
  latencyBuckets: number[];
  firstTokenBuckets: number[];
}

export interface OutcomeCounts {
  attempts: number;
  failedAttempts: number;
  requests: number;
  failedRequests: number;
}

/** Sums over longer windows. */
export interface WindowOutcomes {
  modelId: string;
  providerId: string;
  hour: OutcomeCounts;
  day: OutcomeCounts;
}

const minuteRows = z.array(
  z.object({
    modelId: z.string(),
    providerId: z.string(),
    minute: z.date(),
    attempts: z.int(),
    failedAttempts: z.int(),
    requests: z.int(),
    failedRequests: z.int(),
    latencyBuckets: z.array(z.int()),
    firstTokenBuckets: z.array(z.int()),
  }),
);
const count = z.bigint().transform(Number);
const windowRows = z.array(
  z
    .object({
      modelId: z.string(),
      providerId: z.string(),
      hourCounts: z.tuple([count, count, count, count]),
      dayCounts: z.tuple([count, count, count, count]),
    })
    .transform(({ modelId, providerId, hourCounts, dayCounts }) => ({
      modelId,
      providerId,
      hour: outcomeCounts(hourCounts),
      day: outcomeCounts(dayCounts),
    })),
);

/** Outcomes of requests by minute, as status figures need them. */
export class HealthStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /** Every minute from this one on; for a few minutes it is cheap enough for every other second. */
  async since(from: Date): Promise<MinuteOutcomes[]> {
    return minuteRows.parse(
      await this.#prisma.$queryRaw`
        SELECT model_id AS "modelId", provider_id AS "providerId", minute, attempts,
          failed_attempts AS "failedAttempts", requests, failed_requests AS "failedRequests",
          latency_buckets AS "latencyBuckets", first_token_buckets AS "firstTokenBuckets"
        FROM model_minutes WHERE minute >= ${from}`,
    );
  }

  /** Sums up to, but without, the minute `to`: from `hourFrom` and from `dayFrom` on. Reads a day of rows. */
  async sums(dayFrom: Date, hourFrom: Date, to: Date): Promise<WindowOutcomes[]> {
    return windowRows.parse(
      await this.#prisma.$queryRaw`
        SELECT model_id AS "modelId", provider_id AS "providerId",
          ARRAY[
            coalesce(sum(attempts) FILTER (WHERE minute >= ${hourFrom}), 0),
            coalesce(sum(failed_attempts) FILTER (WHERE minute >= ${hourFrom}), 0),
            coalesce(sum(requests) FILTER (WHERE minute >= ${hourFrom}), 0),
            coalesce(sum(failed_requests) FILTER (WHERE minute >= ${hourFrom}), 0)
          ]::bigint[] AS "hourCounts",
          ARRAY[sum(attempts), sum(failed_attempts), sum(requests), sum(failed_requests)]::bigint[]
            AS "dayCounts"
        FROM model_minutes WHERE minute >= ${dayFrom} AND minute < ${to}
        GROUP BY model_id, provider_id`,
    );
  }
}

function outcomeCounts([attempts, failedAttempts, requests, failedRequests]: [
  number,
  number,
  number,
  number,
]): OutcomeCounts {
  return { attempts, failedAttempts, requests, failedRequests };
}
