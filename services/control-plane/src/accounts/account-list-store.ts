import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import type { ListPlace, ListQuestion } from '../lists/list-page.ts';
import { listOrder } from '../lists/list-place-store.ts';

const accountRows = z.array(
  z.object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    createdAt: z.date(),
    emailVerifiedAt: z.date().nullable(),
    suspendedAt: z.date().nullable(),
    deletedAt: z.date().nullable(),
  }),
);

const placeRows = z.array(z.object({ createdAt: z.date(), id: z.string() }));

/**
 * No index finds a text in the middle of a name. So one query looks at this many accounts at most, which
 * takes some 10 ms.
 */
const MOST_LOOKED_AT = 10_000;

/** Reads who has an account. */
export class AccountListStore extends ReadingStore {
  /**
   * Lists accounts, the oldest first, and one more than the question asks for.
   * @param question.search a part of the id, e-mail address or name; empty: every account matches. One call
   *   looks at a limited number of accounts; `lastLookedAt` returns the last of them.
   */
  async list(
    question: ListQuestion & { search: string },
    signal: AbortSignal,
  ): Promise<z.infer<typeof accountRows>> {
    return accountRows.parse(await this.reads.query(listStatement(question), signal));
  }

  /** Finds the last account that a search looks at. Undefined when the search reaches the end of the list. */
  async lastLookedAt(question: ListQuestion, signal: AbortSignal): Promise<ListPlace | undefined> {
    const { isAfter } = listOrder('a', 'oldest', question);
    const [place] = placeRows.parse(
      await this.reads.query(
        Prisma.sql`
          SELECT a.created_at AS "createdAt", a.id FROM accounts a
          WHERE ${isAfter} ORDER BY a.created_at, a.id OFFSET ${MOST_LOOKED_AT - 1} LIMIT 1`,
        signal,
      ),
    );
    return place;
  }

  /** Finds an account's place in the list. Undefined when there is no account with this id. */
  async placeOf(id: string, signal: AbortSignal): Promise<ListPlace | undefined> {
    const [place] = placeRows.parse(
      await this.reads.query(
        Prisma.sql`SELECT created_at AS "createdAt", id FROM accounts WHERE id = ${id}`,
        signal,
      ),
    );
    return place;
  }
}

/** Exported for the test that reads its query plan. */
export function listStatement({ search, ...question }: ListQuestion & { search: string }): Prisma.Sql {
  const { isAfter, orderAndLimit } = listOrder('a', 'oldest', question);
  const columns = Prisma.sql`
    a.id, a.email, a.name, a.created_at AS "createdAt", a.email_verified_at AS "emailVerifiedAt",
    a.suspended_at AS "suspendedAt", a.deleted_at AS "deletedAt"`;
  if (search === '') return Prisma.sql`SELECT ${columns} FROM accounts a WHERE ${isAfter} ${orderAndLimit}`;
  const wanted = Prisma.sql`lower(${search})`;
  return Prisma.sql`
    SELECT ${columns}
    FROM (
      SELECT * FROM accounts a WHERE ${isAfter} ORDER BY a.created_at, a.id LIMIT ${MOST_LOOKED_AT}
    ) AS a
    WHERE strpos(lower(a.id), ${wanted}) > 0 OR strpos(a.email, ${wanted}) > 0
      OR strpos(lower(a.name), ${wanted}) > 0
    ${orderAndLimit}`;
}
