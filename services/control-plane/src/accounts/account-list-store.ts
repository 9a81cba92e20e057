import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import { beginsWith } from '../lists/begins-with-store.ts';
import { listOrder } from '../lists/list-order-store.ts';
import type { ListCursor, ListQuery } from '../lists/list-page.ts';
import type { StoredAccount } from './stored-account.ts';

const accountRows = z.array(
  z.object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    createdAt: z.date(),
    emailVerifiedAt: z.date().nullable(),
    suspendedAt: z.date().nullable(),
    deletedAt: z.date().nullable(),
    timezone: z.string(),
    weekStarts: z.string(),
    externalId: z.string().nullable(),
    priceListId: z.string().nullable(),
  }),
);

const fullRows = z.array(
  accountRows.element.extend({
    signupPoolDue: z.boolean(),
    stoppedBy: z.string().nullable(),
    thresholdMails: z.boolean(),
    freePerMinute: z.number().nullable(),
    paidPerMinute: z.number().nullable(),
    readsPerMinute: z.number().nullable(),
    concurrentStreams: z.number().nullable(),
  }),
);

const leftRows = z.array(z.object({ id: z.string(), left: z.bigint(), unlimited: z.boolean() }));

/** Money left in an account's own pools, in nano-USD, without unlimited ones. */
export interface AccountBalance {
  left: bigint;
  /** True if one of these pools is unlimited. */
  unlimited: boolean;
}

const cursorRows = z.array(z.object({ createdAt: z.date(), id: z.string() }));

/** No index finds text inside a name, so one query scans at most this many accounts (about 10 ms). */
const MAX_SCANNED = 10_000;

/** Undefined members match every account. */
export interface AccountFilter {
  id?: string | undefined;
  externalId?: string | undefined;
  email?: string | undefined;
  /** Beginning of the name or address, in any case. */
  search?: string | undefined;
  isSuspended?: boolean | undefined;
}

export class AccountListStore extends ReadingStore {
  /**
   * Lists accounts, oldest first, one more than the limit.
   * @param query.search part of the id, address or name; empty matches all. One call scans at most
   *   MAX_SCANNED accounts; `lastScanned` returns the last of them.
   */
  async list(
    query: ListQuery & { search: string },
    signal: AbortSignal,
  ): Promise<z.infer<typeof accountRows>> {
    return accountRows.parse(await this.reads.query(accountsStatement(query), signal));
  }

  /** Lists accounts that are not deleted, newest first, one more than the limit. @param filter absent: all */
  async newest(filter: AccountFilter, query: ListQuery, signal: AbortSignal): Promise<StoredAccount[]> {
    const { isAfter, orderAndLimit } = listOrder('a', 'newest', query);
    const { email = null, externalId = null, id = null, isSuspended = null, search } = filter;
    const isFound =
      search === undefined
        ? Prisma.sql`true`
        : Prisma.sql`(${beginsWith('a.name', search)} OR ${beginsWith('a.email', search)})`;
    return await this.query(fullRows, signal)`
      SELECT a.id, a.email, a.name, a.created_at AS "createdAt", a.email_verified_at AS "emailVerifiedAt",
        a.signup_pool_due AS "signupPoolDue", a.suspended_at AS "suspendedAt", a.deleted_at AS "deletedAt",
        a.timezone, a.week_starts AS "weekStarts", a.external_id AS "externalId", a.stopped_by AS "stoppedBy",
        a.free_per_minute AS "freePerMinute", a.paid_per_minute AS "paidPerMinute",
        a.threshold_mails AS "thresholdMails", a.price_list_id AS "priceListId", a.reads_per_minute AS "readsPerMinute", a.concurrent_streams AS "concurrentStreams"
      FROM accounts a
      WHERE a.deleted_at IS NULL AND (${id}::text IS NULL OR a.id = ${id})
        AND (${externalId}::text IS NULL OR a.external_id = ${externalId})
        AND (${email}::text IS NULL OR a.email = ${email})
        AND (${isSuspended}::boolean IS NULL OR (a.suspended_at IS NOT NULL) = ${isSuspended})
        AND ${isFound} AND ${isAfter} ${orderAndLimit}`;
  }

  /** Sums the money left in the pools of each account itself; as leftInPool of contracts. */
  async leftOf(accountIds: readonly string[], signal: AbortSignal): Promise<Map<string, AccountBalance>> {
    const rows = await this.query(leftRows, signal)`
      SELECT a.id, coalesce(p.total, 0)::bigint AS left, coalesce(p.unlimited, false) AS unlimited
      FROM unnest(${[...accountIds]}::text[]) AS a (id)
      LEFT JOIN LATERAL (
        SELECT bool_or(p.unlimited) AS unlimited, sum(
          CASE WHEN p.resets_at <= now() THEN p.included ELSE p.remaining + p.held END
        ) FILTER (WHERE NOT p.unlimited) AS total
        FROM pools p
        WHERE p.owner = 'account:' || a.id AND p.removed_at IS NULL AND coalesce(p.expires_at > now(), true)
      ) AS p ON true`;
    return new Map(rows.map(({ id, ...balance }) => [id, balance]));
  }

  async lastScanned(query: ListQuery, signal: AbortSignal): Promise<ListCursor | undefined> {
    const { isAfter } = listOrder('a', 'oldest', query);
    const [cursor] = await this.query(cursorRows, signal)`
      SELECT a.created_at AS "createdAt", a.id FROM accounts a
      WHERE ${isAfter} ORDER BY a.created_at, a.id OFFSET ${MAX_SCANNED - 1} LIMIT 1`;
    return cursor;
  }

  async cursorOf(id: string, signal: AbortSignal): Promise<ListCursor | undefined> {
    const [cursor] = await this.query(cursorRows, signal)`
      SELECT created_at AS "createdAt", id FROM accounts WHERE id = ${id}`;
    return cursor;
  }
}

/** Exported for the test that reads its query plan. */
export function accountsStatement({ search, ...query }: ListQuery & { search: string }): Prisma.Sql {
  const { isAfter, orderAndLimit } = listOrder('a', 'oldest', query);
  const columns = Prisma.sql`
    a.id, a.email, a.name, a.created_at AS "createdAt", a.email_verified_at AS "emailVerifiedAt",
    a.suspended_at AS "suspendedAt", a.deleted_at AS "deletedAt",
    a.timezone, a.week_starts AS "weekStarts", a.external_id AS "externalId",
    a.price_list_id AS "priceListId"`;
  if (search === '') return Prisma.sql`SELECT ${columns} FROM accounts a WHERE ${isAfter} ${orderAndLimit}`;
  const wanted = Prisma.sql`lower(${search})`;
  return Prisma.sql`
    SELECT ${columns}
    FROM (
      SELECT * FROM accounts a WHERE ${isAfter} ORDER BY a.created_at, a.id LIMIT ${MAX_SCANNED}
    ) AS a
    WHERE strpos(lower(a.id), ${wanted}) > 0 OR strpos(a.email, ${wanted}) > 0
      OR strpos(lower(a.name), ${wanted}) > 0
    ${orderAndLimit}`;
}
