import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';

export interface WaitingCalls {
  modelId: string;
  providerId: string;
  calls: number;
  /** Longest wait in milliseconds. */
  longestMs: number;
}

/** No reader has a use for more rows. */
const MAX_READ = 1_000;

const waitingRows = z.array(
  z.object({
    modelId: z.string(),
    providerId: z.string(),
    calls: z.int(),
    longestMs: z.number().min(0).transform(Math.round),
  }),
);

export class WaitingStore extends PrismaStore {
  async report(instanceId: string, waiting: readonly WaitingCalls[], validMs: number): Promise<void> {
    await this.prisma.$executeRaw`
      WITH given AS (
        SELECT "modelId" AS model_id, "providerId" AS provider_id, calls,
          now() - "longestMs" * interval '1 millisecond' AS since
        FROM jsonb_to_recordset(${JSON.stringify(waiting)}::jsonb)
          AS waits ("modelId" text, "providerId" text, calls int, "longestMs" float8)
      ), over AS (
        DELETE FROM waiting_calls AS w WHERE instance_id = ${instanceId}
          AND NOT EXISTS (
            SELECT FROM given WHERE given.model_id = w.model_id AND given.provider_id = w.provider_id
          )
      )
      INSERT INTO waiting_calls (instance_id, model_id, provider_id, calls, since, expires_at)
      SELECT ${instanceId}, model_id, provider_id, calls, since,
        now() + ${validMs}::int * interval '1 millisecond'
      FROM given
      ON CONFLICT (instance_id, model_id, provider_id) DO UPDATE SET
        calls = EXCLUDED.calls, since = EXCLUDED.since, expires_at = EXCLUDED.expires_at`;
  }

  async read(): Promise<WaitingCalls[]> {
    return await this.query(waitingRows)`
      SELECT model_id AS "modelId", provider_id AS "providerId", sum(calls)::int AS calls,
        greatest(0, extract(epoch FROM now() - min(since)) * 1000)::float8 AS "longestMs"
      FROM waiting_calls WHERE expires_at > now()
      GROUP BY model_id, provider_id ORDER BY "longestMs" DESC LIMIT ${MAX_READ}`;
  }

  async prune(): Promise<void> {
    await this.prisma.$executeRaw`DELETE FROM waiting_calls WHERE expires_at <= now()`;
  }
}
