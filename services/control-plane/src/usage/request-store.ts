import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { usedKeyMadeBy } from '../access/visible-keys-store.ts';
import { ReadingStore } from '../database/reading-store.ts';
import { arrivedFor } from '../partitions/arrival-store.ts';
import { matchesAll } from './label-usage-store.ts';
import type { RequestQuery } from './request-query.ts';
import {
  clientStatusColumns,
  LABELS_STORED,
  labelColumns,
  storedAttempts,
  UNITS_USED,
  unitColumns,
} from './usage-store.ts';

const requestRows = z.array(
  z.object({
    requestId: z.string(),
    endedAt: z.date(),
    modelId: z.string(),
    capability: z.string(),
    keyId: z.string(),
    /** Null when the key has been deleted. */
    keyName: z.string().nullable(),
    keyKind: z.string().nullable(),
    ...unitColumns,
    usageSource: z.string().nullable(),
    billingReason: z.string(),
    charged: z.bigint(),
    attempts: storedAttempts,
    ...clientStatusColumns,
    ...labelColumns,
  }),
);
export type RequestRow = z.infer<typeof requestRows>[number];

export class RequestStore extends ReadingStore {
  /** Lists requests, newest first, then highest id. */
  async list(query: RequestQuery, signal: AbortSignal): Promise<RequestRow[]> {
    return requestRows.parse(await this.reads.query(requestsStatement(query), signal));
  }
}

/**
 * Reads the index of the account or key backwards in each partition, and stops at the limit. No other index
 * orders requests by time, so no plan scans others' requests. Exported for its query plan's test.
 */
export function requestsStatement(query: RequestQuery): Prisma.Sql {
  const { accountId, memberId, seatId, startMs, endMs, modelId, keyId, keyKind, labels, limit, after } =
    query;
  const conditions = [
    keyId === undefined ? Prisma.sql`account_id = ${accountId}` : Prisma.sql`key_id = ${keyId}`,
    Prisma.sql`ended_at >= ${new Date(startMs)}`,
    Prisma.sql`ended_at < ${new Date(endMs)}`,
    arrivedFor({ startMs, endMs }),
    seatId === undefined ? Prisma.sql`seat_id IS NULL` : Prisma.sql`seat_id = ${seatId}`,
    usedKeyMadeBy({ memberId }),
  ];
  if (keyId !== undefined) conditions.push(Prisma.sql`account_id = ${accountId}`);
  if (modelId !== undefined) conditions.push(Prisma.sql`model_id = ${modelId}`);
  if (keyKind !== undefined) conditions.push(ofKind(accountId, keyKind));
  if (labels.length > 0) conditions.push(matchesAll(labels));
  if (after !== undefined) {
    conditions.push(Prisma.sql`(ended_at, request_id) < (${new Date(after.endedAtMs)}, ${after.requestId})`);
  }
  // Names usage_records first, because Postgres shows only the beginning of a running statement.
  return Prisma.sql`
    WITH r AS (
      SELECT * FROM usage_records r
      WHERE ${Prisma.join(conditions, ' AND ')}
      ORDER BY ended_at DESC, request_id DESC
      LIMIT ${limit}
    )
    SELECT r.request_id AS "requestId", r.ended_at AS "endedAt", r.model_id AS "modelId", r.capability,
      r.key_id AS "keyId", k.name AS "keyName", k.kind AS "keyKind", ${UNITS_USED},
      r.usage_source AS "usageSource",
      r.billing_reason AS "billingReason", r.charged, r.attempts, r.client_status AS "clientStatus",
      r.client_error_code AS "clientErrorCode", ${LABELS_STORED}
    FROM r
    LEFT JOIN api_keys k ON k.id = r.key_id
    ORDER BY r.ended_at DESC, r.request_id DESC`;
}

/**
 * Matches the kind of a request's key. Postgres reads the keys once into a hash table. A deleted key was a
 * playground key.
 */
function ofKind(accountId: string, kind: string): Prisma.Sql {
  const keys = Prisma.sql`SELECT id FROM api_keys WHERE account_id = ${accountId} AND kind`;
  return kind === 'playground'
    ? Prisma.sql`key_id NOT IN (${keys} <> 'playground')`
    : // Without IS TRUE, Postgres would make it a join, which would read all of the account's requests.
      Prisma.sql`(key_id IN (${keys} = ${kind})) IS TRUE`;
}
