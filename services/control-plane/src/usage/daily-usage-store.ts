import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import { UNITS_USED, unitColumns } from './usage-store.ts';

const dailyRows = z.array(
  z.object({
    day: z.date(),
    accountId: z.string(),
    /** Null: the account was deleted. */
    accountEmail: z.string().nullable(),
    /** Empty: the key is not on a seat. */
    seatId: z.string(),
    keyId: z.string(),
    /** Null: the key was deleted. */
    keyName: z.string().nullable(),
    modelId: z.string(),
    requests: z.bigint(),
    ...unitColumns,
    charged: z.bigint(),
    providerCost: z.bigint(),
  }),
);
export type DailyRow = z.infer<typeof dailyRows>[number];

const watermarks = z.array(z.object({ until: z.date() }));

/** The last row of a page, by the columns that order the list. */
export type DailyCursor = readonly [
  day: string,
  accountId: string,
  seatId: string,
  keyId: string,
  modelId: string,
];

const DAY_WIDTH = 86_400;

export class DailyUsageStore extends ReadingStore {
  /** Lists the usage of whole days by key and model. */
  async list(
    { after, end, limit, start }: { start: Date; end: Date; limit: number; after: DailyCursor | undefined },
    signal: AbortSignal,
  ): Promise<DailyRow[]> {
    const [day, ...names] = after ?? [];
    const next =
      day === undefined
        ? Prisma.empty
        : Prisma.sql`AND (r.bucket, r.account_id, r.seat_id, r.key_id, r.model_id) >
            (${new Date(day)}::timestamptz, ${Prisma.join(names)})`;
    return await this.query(dailyRows, signal)`
      SELECT r.bucket AS day, r.account_id AS "accountId", account.email AS "accountEmail",
        r.seat_id AS "seatId", r.key_id AS "keyId", key.name AS "keyName", r.model_id AS "modelId",
        r.requests, ${UNITS_USED}, r.charged, coalesce(r.provider_cost, r.charged) AS "providerCost"
      FROM usage_rollups r
      LEFT JOIN accounts account ON account.id = r.account_id
      LEFT JOIN api_keys key ON key.id = r.key_id
      WHERE r.width = ${DAY_WIDTH}::int AND r.bucket >= ${start} AND r.bucket < ${end} ${next}
      ORDER BY r.bucket, r.account_id, r.seat_id, r.key_id, r.model_id LIMIT ${limit}`;
  }

  /** Returns the time until which all requests are in the sums. */
  async summedUntil(signal: AbortSignal): Promise<Date | undefined> {
    const [row] = await this.query(watermarks, signal)`SELECT until FROM rollup_watermark`;
    return row?.until;
  }
}
