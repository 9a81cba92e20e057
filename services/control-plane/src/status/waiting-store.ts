import type { PrismaClient } from '@model-gateway/database';
import { z } from 'zod';

/** Calls of a model at a provider that have had nothing of an answer for 10 s or more. */
export interface WaitingCalls {
  modelId: string;
  providerId: string;
  calls: number;
  /** How long the one that waits the longest has waited, in milliseconds. */
  longestMs: number;
}

/** More than these are of no use to any reader. */
const MAX_READ = 1_000;

const waitingRows = z.array(
  z.object({ modelId: z.string(), providerId: z.string(), calls: z.int(), longestMs: z.number().min(0) }),
);

/** What data planes have last reported of calls that wait for providers. */
export class WaitingStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /** Replaces what this data plane has reported before. */
  async report(instanceId: string, waiting: readonly WaitingCalls[], validMs: number): Promise<void> {
    await this.#prisma.$executeRaw`
      WITH given AS (
        SELECT "modelId" AS model_id, "providerId" AS provider_id, calls,
          now() - "longestMs" * interval '1 millisecond' AS since
        FROM jsonb_to_recordset(${JSON.stringify(waiting)}::jsonb)
          AS waits ("modelId" text, "providerId" text, calls int, "longestMs" float8)
      ), over AS (
        DELETE FROM waiting_calls AS w WHERE instance_id = ${instanceId}
          AND NOT EXISTS (SELECT FROM given WHERE given.model_id = w.model_id AND given.provider_id = w.provider_id)
      )
      INSERT INTO waiting_calls (instance_id, model_id, provider_id, calls, since, expires_at)
      SELECT ${instanceId}, model_id, provider_id, calls, since,
        now() + ${validMs}::int * interval '1 millisecond'
      FROM given
      ON CONFLICT (instance_id, model_id, provider_id) DO UPDATE SET
        calls = EXCLUDED.calls, since = EXCLUDED.since, expires_at = EXCLUDED.expires_at`;
  }

  /** Over all data planes, those that wait the longest first. Reports that have expired are left out. */
  async read(): Promise<WaitingCalls[]> {
    return waitingRows.parse(
      await this.#prisma.$queryRaw`
        SELECT model_id AS "modelId", provider_id AS "providerId", sum(calls)::int AS calls,
          greatest(0, extract(epoch FROM now() - min(since)) * 1000)::float8 AS "longestMs"
        FROM waiting_calls WHERE expires_at > now()
        GROUP BY model_id, provider_id ORDER BY "longestMs" DESC LIMIT ${MAX_READ}`,
    );
  }

  async prune(): Promise<void> {
    await this.#prisma.$executeRaw`DELETE FROM waiting_calls WHERE expires_at <= now()`;
  }
}
