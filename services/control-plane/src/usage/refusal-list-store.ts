import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { usedKeyMadeBy } from '../access/visible-keys-store.ts';
import { ReadingStore } from '../database/reading-store.ts';
import type { StatusRange } from './client-status-store.ts';
import type { PageQuery } from './page-query.ts';
import type { RequestCursor } from './request-cursor.ts';
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

const foundRows = z.array(
  listedRows.element.extend({
    accountId: z.string(),
    accountEmail: z.string().nullable(),
    seatId: z.string().nullable(),
  }),
);
export type FoundRefusal = z.infer<typeof foundRows>[number];

/** Filters of operators; absent: refusals of all accounts. */
export interface RefusalFilter extends PageQuery {
  accountId?: string | undefined;
  seatId?: string | undefined;
  keyId?: string | undefined;
  modelId?: string | undefined;
  capability?: string | undefined;
  errorCode?: string | undefined;
  status?: StatusRange | undefined;
}

/** Rows scanned per call, about 20 ms. */
const MAX_SCANNED = 10_000;

const cursorRows = z.array(z.object({ lastAt: z.date(), id: z.string() }));

const ID = Prisma.sql`'ref_' || md5(concat_ws(
  ' ', r.key_id, extract(epoch FROM r.hour), r.error_code, r.model_id, r.capability))`;

export class RefusalListStore extends ReadingStore {
  /** Searches refusals, latest first. One call scans at most MAX_SCANNED. */
  async search(filter: RefusalFilter, signal: AbortSignal): Promise<FoundRefusal[]> {
    return await this.query(foundRows, signal)`
      WITH r AS (
        SELECT * FROM (${scanned(filter)}) AS r WHERE ${matches(filter)}
        ORDER BY r.last_at DESC, r.id DESC LIMIT ${filter.limit + 1}
      )
      SELECT r.id, r.account_id AS "accountId", account.email AS "accountEmail", r.seat_id AS "seatId",
        r.key_id AS "keyId", k.name AS "keyName", k.kind AS "keyKind", r.model_id AS "modelId", r.capability,
        r.status, r.error_code AS "errorCode", r.count, r.first_at AS "firstAt", r.last_at AS "lastAt"
      FROM r LEFT JOIN accounts account ON account.id = r.account_id LEFT JOIN api_keys k ON k.id = r.key_id
      ORDER BY r.last_at DESC, r.id DESC`;
  }

  /** Returns the last refusal that `search` scans; undefined when it reaches the end. */
  async lastScanned(filter: RefusalFilter, signal: AbortSignal): Promise<RequestCursor | undefined> {
    const [row] = await this.query(cursorRows, signal)`
      SELECT r.last_at AS "lastAt", r.id FROM (${scanned(filter)}) AS r
      ORDER BY r.last_at DESC, r.id DESC OFFSET ${MAX_SCANNED - 1} LIMIT 1`;
    return row && { endedAtMs: row.lastAt.getTime(), requestId: row.id };
  }

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
    if (after !== undefined) conditions.push(isAfter(after));
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

function isAfter({ endedAtMs, requestId }: RequestCursor): Prisma.Sql {
  const at = new Date(endedAtMs);
  return Prisma.sql`r.last_at <= ${at} AND (r.last_at, ${ID}) < (${at}, ${requestId})`;
}

/** Reads the index of the key, the account, or all refusals by time, and stops at the limit. */
function scanned({ accountId, after, endMs, keyId, startMs }: RefusalFilter): Prisma.Sql {
  const conditions = [
    Prisma.sql`r.last_at >= ${new Date(startMs)}`,
    Prisma.sql`r.last_at < ${new Date(endMs)}`,
  ];
  if (accountId !== undefined) conditions.push(Prisma.sql`r.account_id = ${accountId}`);
  if (keyId !== undefined) conditions.push(Prisma.sql`r.key_id = ${keyId}`);
  if (after !== undefined) conditions.push(isAfter(after));
  return Prisma.sql`
    SELECT r.*, ${ID} AS id FROM refused_requests r WHERE ${Prisma.join(conditions, ' AND ')}
    ORDER BY r.last_at DESC, ${ID} DESC LIMIT ${MAX_SCANNED}`;
}

function matches({ capability, errorCode, modelId, seatId, status }: RefusalFilter): Prisma.Sql {
  const wanted = [Prisma.sql`true`];
  if (seatId !== undefined) wanted.push(Prisma.sql`r.seat_id = ${seatId}`);
  if (modelId !== undefined) wanted.push(Prisma.sql`r.model_id = ${modelId}`);
  if (capability !== undefined) wanted.push(Prisma.sql`r.capability = ${capability}`);
  if (errorCode !== undefined) wanted.push(Prisma.sql`r.error_code = ${errorCode}`);
  if (status !== undefined) wanted.push(Prisma.sql`r.status BETWEEN ${status.first} AND ${status.last}`);
  return Prisma.join(wanted, ' AND ');
}
