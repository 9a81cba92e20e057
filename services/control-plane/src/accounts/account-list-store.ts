import { Prisma, type ReadingPool } from '@model-gateway/database';
import { z } from 'zod';
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
 * A text may be anywhere in a name, so that no index finds it: of so many accounts at a time it is looked
 * for, which takes some 10 ms.
 */
const MOST_LOOKED_AT = 10_000;

/** Reads who has an account. */
export class AccountListStore {
  readonly #reads: ReadingPool;

  constructor(reads: ReadingPool) {
    this.#reads = reads;
  }

  /**
   * Oldest first, and one more than asked for.
   * @param question.search is in the id, e-mail address or name; empty: all. Looked for in a bounded number
   *   of accounts, the last of which `lastLookedAt` tells.
   */
  async list(
    question: ListQuestion & { search: string },
    signal: AbortSignal,
  ): Promise<z.infer<typeof accountRows>> {
    return accountRows.parse(await this.#reads.query(listStatement(question), signal));
  }

  /** The last of the accounts that a search looks at; undefined: it looks at all that are left. */
  async lastLookedAt(question: ListQuestion, signal: AbortSignal): Promise<ListPlace | undefined> {
    const { isAfter } = listOrder('a', 'oldest', question);
    const [place] = placeRows.parse(
      await this.#reads.query(
        Prisma.sql`
          SELECT a.created_at AS "createdAt", a.id FROM accounts a
          WHERE ${isAfter} ORDER BY a.created_at, a.id OFFSET ${MOST_LOOKED_AT - 1} LIMIT 1`,
        signal,
      ),
    );
    return place;
  }

  /** Where an account stands in the list; undefined: there is none with this id. */
  async placeOf(id: string, signal: AbortSignal): Promise<ListPlace | undefined> {
    const [place] = placeRows.parse(
      await this.#reads.query(
        Prisma.sql`SELECT created_at AS "createdAt", id FROM accounts WHERE id = ${id}`,
        signal,
      ),
    );
    return place;
  }
}

/** Exported for the test that reads its plan. */
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
