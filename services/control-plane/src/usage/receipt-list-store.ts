import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import { arrivedFor, isRequest } from '../partitions/arrival-store.ts';
import { matchesFilter } from './receipt-filter-store.ts';
import type { ReceiptListQuery } from './receipt-list-query.ts';
import type { RequestCursor } from './request-cursor.ts';
import {
  clientStatusColumns,
  LABELS_STORED,
  labelColumns,
  MONEY,
  moneyColumns,
  storedAttempts,
  UNITS_USED,
  unitColumns,
} from './usage-store.ts';

/** Neither is set: requests of all accounts. */
export interface ReceiptOwner {
  accountId: string | undefined;
  keyId: string | undefined;
}

const summaryRows = z.array(
  z.object({
    requestId: z.string(),
    accountId: z.string(),
    /** Null when it has been deleted, as of the key's name. */
    accountEmail: z.string().nullable(),
    seatId: z.string().nullable(),
    teamId: z.string().nullable(),
    keyId: z.string(),
    keyName: z.string().nullable(),
    modelId: z.string(),
    capability: z.string(),
    endedAt: z.date(),
    ...unitColumns,
    billingReason: z.string(),
    ...moneyColumns,
    attempts: storedAttempts,
    ...clientStatusColumns,
    ...labelColumns,
  }),
);
export type SummaryRow = z.infer<typeof summaryRows>[number];

const cursorRows = z.array(z.object({ endedAt: z.date(), requestId: z.string() }));

/**
 * Requests scanned per call, about 10 ms. Models and outcomes have no index, because each index slows
 * settlements; rare requests take more calls.
 */
const MAX_SCANNED = 10_000;

const NEWEST_FIRST = Prisma.sql`r.ended DESC, r.request_id DESC`;

export class ReceiptListStore extends ReadingStore {
  /** Lists requests, newest first, then highest id. One call scans at most MAX_SCANNED. */
  async list(owner: ReceiptOwner, query: ReceiptListQuery, signal: AbortSignal): Promise<SummaryRow[]> {
    return summaryRows.parse(await this.reads.query(summariesStatement(owner, query), signal));
  }

  /** Returns the last request that `list` scans; undefined when it reaches the end. */
  async lastScanned(
    owner: ReceiptOwner,
    query: ReceiptListQuery,
    signal: AbortSignal,
  ): Promise<RequestCursor | undefined> {
    const statement = Prisma.sql`
      SELECT ended_at AS "endedAt", request_id AS "requestId"
      FROM (${scannedRequests(owner, query)}) AS r
      ORDER BY ${NEWEST_FIRST} OFFSET ${MAX_SCANNED - 1} LIMIT 1`;
    return cursorIn(await this.reads.query(statement, signal));
  }

  async cursorOf(requestId: string, signal: AbortSignal): Promise<RequestCursor | undefined> {
    const statement = Prisma.sql`
      SELECT ended_at AS "endedAt", request_id AS "requestId" FROM usage_records r
      WHERE ${isRequest(requestId)}`;
    return cursorIn(await this.reads.query(statement, signal));
  }
}

function cursorIn(rows: unknown[]): RequestCursor | undefined {
  const [row] = cursorRows.parse(rows);
  return row && { endedAtMs: row.endedAt.getTime(), requestId: row.requestId };
}

export function summariesStatement(owner: ReceiptOwner, query: ReceiptListQuery): Prisma.Sql {
  // Same order as the inner query, so that it stops early.
  return Prisma.sql`
    WITH r AS (
      SELECT * FROM (${scannedRequests(owner, query)}) AS r
      WHERE ${matchesFilter(query)}
      ORDER BY ${NEWEST_FIRST} LIMIT ${query.limit + 1}
    )
    SELECT r.request_id AS "requestId", r.account_id AS "accountId", account.email AS "accountEmail",
      r.seat_id AS "seatId", r.team_id AS "teamId", r.key_id AS "keyId", key.name AS "keyName",
      r.model_id AS "modelId", r.capability, r.ended_at AS "endedAt", ${UNITS_USED},
      r.billing_reason AS "billingReason", ${MONEY}, r.attempts,
      r.client_status AS "clientStatus", r.client_error_code AS "clientErrorCode", ${LABELS_STORED}
    FROM r
    LEFT JOIN accounts account ON account.id = r.account_id
    LEFT JOIN api_keys key ON key.id = r.key_id
    ORDER BY ${NEWEST_FIRST}`;
}

/**
 * Reads an index by time backwards in each partition, and stops at the limit: that of the account or key,
 * else that of all requests (usage_records_ended_idx), which has an expression so that no other list is read
 * along it.
 */
function scannedRequests(owner: ReceiptOwner, query: ReceiptListQuery): Prisma.Sql {
  const { accountId, keyId } = owner;
  const { startMs, endMs, after, requestId } = query;
  const zone = accountId === undefined && keyId === undefined ? Prisma.sql`AT TIME ZONE 'UTC'` : Prisma.empty;
  const at = (ms: number) => Prisma.sql`(${new Date(ms)}::timestamptz ${zone})`;
  const ended = Prisma.sql`(r.ended_at ${zone})`;
  const conditions = [
    Prisma.sql`${ended} >= ${at(startMs)} AND ${ended} < ${at(endMs)}`,
    requestId === undefined ? arrivedFor({ startMs, endMs }) : isRequest(requestId),
  ];
  if (keyId !== undefined) conditions.push(Prisma.sql`key_id = ${keyId}`);
  if (accountId !== undefined) conditions.push(Prisma.sql`account_id = ${accountId}`);
  if (after !== undefined)
    conditions.push(Prisma.sql`(${ended}, request_id) < (${at(after.endedAtMs)}, ${after.requestId})`);
  return Prisma.sql`
    SELECT r.*, ${ended} AS ended FROM usage_records r
    WHERE ${Prisma.join(conditions, ' AND ')}
    ORDER BY ${ended} DESC, r.request_id DESC LIMIT ${MAX_SCANNED}`;
}
