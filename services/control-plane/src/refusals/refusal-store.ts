import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';

export interface RefusalRow {
  accountId: string;
  seatId: string | null;
  keyId: string;
  /** Empty when the model is not known. */
  modelId: string;
  capability: string;
  status: number;
  errorCode: string;
  count: number;
  firstAt: string;
  lastAt: string;
}

/** Days and rows per key that are kept, newest first. */
const KEEP_DAYS = 7;
const MAX_ROWS_PER_KEY = 100;

const keysWithMore = z.array(z.object({ keyId: z.string() }));

export class RefusalStore extends PrismaStore {
  async add(reportId: string, rows: readonly RefusalRow[]): Promise<void> {
    // Rows are always locked in the same order, so that transactions do not deadlock.
    const grown = await this.query(keysWithMore)`
      WITH fresh AS (
        INSERT INTO settled_batches (id) VALUES (${reportId}) ON CONFLICT DO NOTHING RETURNING id
      ), given AS (
        SELECT "keyId" AS key_id, date_trunc('hour', "lastAt", 'UTC') AS hour, "errorCode" AS error_code,
          "modelId" AS model_id, capability, min("accountId") AS account_id, min("seatId") AS seat_id,
          min(status) AS status, sum(count) AS count, min("firstAt") AS first_at, max("lastAt") AS last_at
        FROM fresh, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row (
          "keyId" text, "errorCode" text, "modelId" text, capability text, "accountId" text, "seatId" text,
          status int, count bigint, "firstAt" timestamptz, "lastAt" timestamptz
        )
        GROUP BY 1, 2, 3, 4, 5
      ), added AS (
        INSERT INTO refused_requests AS r (
          key_id, hour, error_code, model_id, capability, account_id, seat_id, status, count, first_at,
          last_at
        )
        SELECT key_id, hour, error_code, model_id, capability, account_id, seat_id, status,
          least(count, 2147483647), first_at, last_at
        FROM given ORDER BY 1, 2, 3, 4, 5
        ON CONFLICT (key_id, hour, error_code, model_id, capability) DO UPDATE SET
          count = least(r.count::bigint + EXCLUDED.count, 2147483647),
          first_at = least(r.first_at, EXCLUDED.first_at),
          last_at = greatest(r.last_at, EXCLUDED.last_at)
        RETURNING key_id, xmax = 0 AS is_new
      )
      SELECT DISTINCT key_id AS "keyId" FROM added WHERE is_new`;
    if (grown.length > 0) await this.#trim(grown.map(({ keyId }) => keyId));
  }

  async prune(): Promise<void> {
    await this.prisma.$executeRaw`
      DELETE FROM refused_requests WHERE last_at < now() - ${KEEP_DAYS}::int * interval '1 day'`;
  }

  async #trim(keyIds: readonly string[]): Promise<void> {
    await this.prisma.$executeRaw`
      DELETE FROM refused_requests WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM (
          SELECT ctid, row_number() OVER (PARTITION BY key_id ORDER BY last_at DESC) AS place
          FROM refused_requests WHERE key_id = ANY(${keyIds})
        ) AS ranked WHERE place > ${MAX_ROWS_PER_KEY}
      ))`;
  }
}
