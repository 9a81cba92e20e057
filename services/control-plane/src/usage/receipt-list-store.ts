import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import { arrivedFor, isRequest } from '../partitions/arrival-store.ts';
import { isAnswered } from './answered-status-store.ts';
import type { ReceiptListQuestion } from './receipt-list-question.ts';
import type { PagePlace } from './request-page.ts';
import { answerColumns, storedAttempts, UNITS_USED, unitColumns } from './usage-store.ts';

/** The account or the key whose requests are wanted; exactly one is there. */
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
    ...answerColumns,
  }),
);
export type SummaryRow = z.infer<typeof summaryRows>[number];

const placeRows = z.array(z.object({ endedAt: z.date(), requestId: z.string() }));

/**
 * One answer looks at this many requests at most, which takes some 10 ms. Models and endings have no index,
 * because each index would make every settlement slower. Somebody who looks for rare requests has to ask a
 * few more times.
 */
const MOST_LOOKED_AT = 10_000;

const NEWEST_FIRST = Prisma.sql`ended_at DESC, request_id DESC`;

/** Reads the requests of accounts and keys for operators. */
export class ReceiptListStore extends ReadingStore {
  /**
   * Lists requests, the newest first; among those of the same millisecond, the highest id first. One call
   * looks at a limited number of requests; `lastLookedAt` returns the last of them.
   */
  async list(owner: ReceiptOwner, question: ReceiptListQuestion, signal: AbortSignal): Promise<SummaryRow[]> {
    return summaryRows.parse(await this.reads.query(summariesStatement(owner, question), signal));
  }

  /** Finds the last request that `list` looks at. Undefined when it reaches the end. */
  async lastLookedAt(
    owner: ReceiptOwner,
    question: ReceiptListQuestion,
    signal: AbortSignal,
  ): Promise<PagePlace | undefined> {
    const statement = Prisma.sql`
      SELECT ended_at AS "endedAt", request_id AS "requestId"
      FROM (${lookedAt(owner, question)}) AS r
      ORDER BY ${NEWEST_FIRST} OFFSET ${MOST_LOOKED_AT - 1} LIMIT 1`;
    return placeIn(await this.reads.query(statement, signal));
  }

  /** Finds a request's place in the lists. Undefined when there is no request with this id. */
  async placeOf(requestId: string, signal: AbortSignal): Promise<PagePlace | undefined> {
    const statement = Prisma.sql`
      SELECT ended_at AS "endedAt", request_id AS "requestId" FROM usage_records r
      WHERE ${isRequest(requestId)}`;
    return placeIn(await this.reads.query(statement, signal));
  }
}

function placeIn(rows: unknown[]): PagePlace | undefined {
  const [row] = placeRows.parse(rows);
  return row && { endedAtMs: row.endedAt.getTime(), requestId: row.requestId };
}

/** Exported for the test that reads its query plan. */
export function summariesStatement(owner: ReceiptOwner, question: ReceiptListQuestion): Prisma.Sql {
  const { modelId, ending, limit } = question;
  const wanted = [Prisma.sql`true`];
  if (modelId !== undefined) wanted.push(Prisma.sql`r.model_id = ${modelId}`);
  if (ending !== undefined) {
    wanted.push(
      'answered' in ending
        ? isAnswered(ending.answered)
        : Prisma.sql`r.billing_reason = ${ending.billingReason}`,
    );
  }
  // The outer query has the same order as the inner one, so that it stops as soon as it has found enough.
  return Prisma.sql`
    SELECT r.request_id AS "requestId", r.account_id AS "accountId", r.seat_id AS "seatId",
      r.team_id AS "teamId", r.key_id AS "keyId", r.model_id AS "modelId", r.capability,
      r.ended_at AS "endedAt", ${UNITS_USED},
      r.billing_reason AS "billingReason", r.cost, r.charged, r.attempts,
      r.client_status AS "clientStatus", r.client_error_code AS "clientErrorCode"
    FROM (${lookedAt(owner, question)}) AS r
    WHERE ${Prisma.join(wanted, ' AND ')}
    ORDER BY ${NEWEST_FIRST} LIMIT ${limit + 1}`;
}

/**
 * Reads backwards along the index of the account or the key in each partition, and stops at the limit. No other
 * index has requests in the order of time, so that no plan walks through the requests of others.
 */
function lookedAt(owner: ReceiptOwner, { startMs, endMs, after }: ReceiptListQuestion): Prisma.Sql {
  const { accountId, keyId } = owner;
  const [column, id] = [ownerColumn(owner), keyId ?? accountId ?? ''];
  const conditions = [
    Prisma.sql`${column} = ${id}`,
    Prisma.sql`ended_at >= ${new Date(startMs)}::timestamptz`,
    Prisma.sql`ended_at < ${new Date(endMs)}::timestamptz`,
    arrivedFor({ startMs, endMs }),
  ];
  if (keyId !== undefined && accountId !== undefined) {
    conditions.push(Prisma.sql`account_id = ${accountId}`);
  }
  if (after !== undefined) {
    const place = Prisma.sql`(${new Date(after.endedAtMs)}::timestamptz, ${after.requestId})`;
    conditions.push(Prisma.sql`(ended_at, request_id) < ${place}`);
  }
  return Prisma.sql`
    SELECT * FROM usage_records r
    WHERE ${Prisma.join(conditions, ' AND ')}
    ORDER BY ${NEWEST_FIRST} LIMIT ${MOST_LOOKED_AT}`;
}

function ownerColumn({ keyId }: ReceiptOwner): Prisma.Sql {
  return keyId === undefined ? Prisma.sql`account_id` : Prisma.sql`key_id`;
}
