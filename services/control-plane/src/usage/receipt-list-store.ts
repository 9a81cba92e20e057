import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import { arrivedFor, isRequest } from '../partitions/arrival-store.ts';
import { hasClientStatus } from './client-status-store.ts';
import { matchesAll } from './label-usage-store.ts';
import type { ReceiptListQuery } from './receipt-list-query.ts';
import type { RequestCursor } from './request-cursor.ts';
import {
  clientStatusColumns,
  LABELS_STORED,
  labelColumns,
  storedAttempts,
  UNITS_USED,
  unitColumns,
} from './usage-store.ts';

/** At least one is set. */
export interface ReceiptOwner {
  accountId: string | undefined;
  keyId: string | undefined;
}

const summaryRows = z.array(
  z.object({
    requestId: z.string(),
    accountId: z.string(),
    seatId: z.string().nullable(),
    teamId: z.string().nullable(),
    keyId: z.string(),
    modelId: z.string(),
    capability: z.string(),
    endedAt: z.date(),
    ...unitColumns,
    billingReason: z.string(),
    cost: z.bigint(),
    charged: z.bigint(),
    attempts: storedAttempts,
    ...clientStatusColumns,
    ...labelColumns,
  }),
);
export type SummaryRow = z.infer<typeof summaryRows>[number];

const cursorRows = z.array(z.object({ endedAt: z.date(), requestId: z.string() }));

/**
 * Requests scanned per call, about 10 ms. Models and outcomes have no index, because each index slows
 * settlements; rare requests take a few more calls.
 */
const MAX_SCANNED = 10_000;

const NEWEST_FIRST = Prisma.sql`ended_at DESC, request_id DESC`;

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
  const { modelId, outcome, limit } = query;
  const wanted = [matchesAll(query.labels)];
  if (modelId !== undefined) wanted.push(Prisma.sql`r.model_id = ${modelId}`);
  if (outcome !== undefined) {
    wanted.push(
      'clientStatus' in outcome
        ? hasClientStatus(outcome.clientStatus)
        : Prisma.sql`r.billing_reason = ${outcome.billingReason}`,
    );
  }
  // Same order as the inner query, so that it stops early.
  return Prisma.sql`
    SELECT r.request_id AS "requestId", r.account_id AS "accountId", r.seat_id AS "seatId",
      r.team_id AS "teamId", r.key_id AS "keyId", r.model_id AS "modelId", r.capability,
      r.ended_at AS "endedAt", ${UNITS_USED},
      r.billing_reason AS "billingReason", r.cost, r.charged, r.attempts,
      r.client_status AS "clientStatus", r.client_error_code AS "clientErrorCode", ${LABELS_STORED}
    FROM (${scannedRequests(owner, query)}) AS r
    WHERE ${Prisma.join(wanted, ' AND ')}
    ORDER BY ${NEWEST_FIRST} LIMIT ${limit + 1}`;
}

/**
 * Reads the index of the account or key backwards in each partition, and stops at the limit. No other index
 * orders requests by time, so no plan scans others' requests.
 */
function scannedRequests(owner: ReceiptOwner, { startMs, endMs, after }: ReceiptListQuery): Prisma.Sql {
  const { accountId, keyId } = owner;
  const conditions = [
    keyId === undefined ? Prisma.sql`account_id = ${accountId}` : Prisma.sql`key_id = ${keyId}`,
    Prisma.sql`ended_at >= ${new Date(startMs)}::timestamptz`,
    Prisma.sql`ended_at < ${new Date(endMs)}::timestamptz`,
    arrivedFor({ startMs, endMs }),
  ];
  if (keyId !== undefined && accountId !== undefined) {
    conditions.push(Prisma.sql`account_id = ${accountId}`);
  }
  if (after !== undefined) {
    const cursor = Prisma.sql`(${new Date(after.endedAtMs)}::timestamptz, ${after.requestId})`;
    conditions.push(Prisma.sql`(ended_at, request_id) < ${cursor}`);
  }
  return Prisma.sql`
    SELECT * FROM usage_records r
    WHERE ${Prisma.join(conditions, ' AND ')}
    ORDER BY ${NEWEST_FIRST} LIMIT ${MAX_SCANNED}`;
}
