import { Prisma, type ReadingPool } from '@model-gateway/database';
import { z } from 'zod';
import type { ListQuestion } from '../lists/list-page.ts';
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

/** Reads who has an account. */
export class AccountListStore {
  readonly #reads: ReadingPool;

  constructor(reads: ReadingPool) {
    this.#reads = reads;
  }

  /** Oldest first, and one more than asked for. */
  async list(question: ListQuestion, signal: AbortSignal): Promise<z.infer<typeof accountRows>> {
    const { isAfter, orderAndLimit } = listOrder('a', 'oldest', question);
    return accountRows.parse(
      await this.#reads.query(
        Prisma.sql`
          SELECT a.id, a.email, a.name, a.created_at AS "createdAt",
            a.email_verified_at AS "emailVerifiedAt", a.suspended_at AS "suspendedAt", a.deleted_at AS "deletedAt"
          FROM accounts a
          WHERE ${isAfter} ${orderAndLimit}`,
        signal,
      ),
    );
  }
}
