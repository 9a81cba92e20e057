import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { usedKeyMadeBy } from '../access/visible-keys-store.ts';
import { ReadingStore } from '../database/reading-store.ts';
import type { RequestQuery } from './request-query.ts';

const listedRows = z.array(
  z.object({
    id: z.string(),
    keyId: z.string(),
    /** Null when the key has been deleted. */
    keyName: z.string().nullable(),
    keyKind: z.string().nullable(),
    modelId: z.string(),
    capability: z.string(),
    status: z.int(),
    errorCode: z.string(),
    count: z.int(),
    firstAt: z.date(),
    lastAt: z.date(),
  }),
);
export type ListedRefusal = z.infer<typeof listedRows>[number];

const ID = Prisma.sql`'ref_' || md5(concat_ws(
  ' ', r.key_id, extract(epoch FROM r.hour), r.error_code, r.model_id, r.capability))`;

export class RefusalListStore extends ReadingStore {
  async list(query: RequestQuery, signal: AbortSignal): Promise<ListedRefusal[]> {
    const { accountId, memberId, seatId, startMs, endMs, modelId, keyId, keyKind, limit, after } = query;
    const conditions = [
      Prisma.sql`r.account_id = ${accountId}`,
      Prisma.sql`r.last_at >= ${new Date(startMs)}`,
      Prisma.sql`r.last_at < ${new Date(endMs)}`,
      seatId === undefined ? Prisma.sql`r.seat_id IS NULL` : Prisma.sql`r.seat_id = ${seatId}`,
      usedKeyMadeBy({ memberId }),
    ];
    if (keyId !== undefined) conditions.push(Prisma.sql`r.key_id = ${keyId}`);
    if (modelId !== undefined) conditions.push(Prisma.sql`r.model_id = ${modelId}`);
    // Only playground keys are ever deleted.
    if (keyKind !== undefined) conditions.push(Prisma.sql`coalesce(k.kind, 'playground') = ${keyKind}`);
    if (after !== undefined) {
      const at = new Date(after.endedAtMs);
      conditions.push(Prisma.sql`r.last_at <= ${at} AND (r.last_at, ${ID}) < (${at}, ${after.requestId})`);
    }
    return await this.query(listedRows, signal)`
      SELECT ${ID} AS id, r.key_id AS "keyId", k.name AS "keyName", k.kind AS "keyKind",
        r.model_id AS "modelId", r.capability, r.status, r.error_code AS "errorCode", r.count,
        r.first_at AS "firstAt", r.last_at AS "lastAt"
      FROM refused_requests r LEFT JOIN api_keys k ON k.id = r.key_id
      WHERE ${Prisma.join(conditions, ' AND ')}
      ORDER BY r.last_at DESC, 1 DESC
      LIMIT ${limit}`;
  }
}
