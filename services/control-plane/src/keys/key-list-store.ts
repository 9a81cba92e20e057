import { Prisma, type ReadingPool } from '@model-gateway/database';
import { z } from 'zod';
import type { ListQuestion } from '../lists/list-page.ts';
import { listOrder } from '../lists/list-place-store.ts';
import type { StoredKey } from './key-store.ts';

/** What is read of each key. */
export const listedKey = z.object({
  id: z.string(),
  accountId: z.string(),
  seatId: z.string().nullable(),
  name: z.string(),
  displayPrefix: z.string(),
  kind: z.string(),
  createdAt: z.date(),
  revokedAt: z.date().nullable(),
});

/** Reads which keys accounts have. */
export class KeyListStore {
  readonly #reads: ReadingPool;

  constructor(reads: ReadingPool) {
    this.#reads = reads;
  }

  /** Without the hidden ones; newest first, and one more than asked for. */
  async ofAccount(accountId: string, question: ListQuestion, signal: AbortSignal): Promise<StoredKey[]> {
    const { isAfter, orderAndLimit } = listOrder('k', 'newest', question);
    return z.array(listedKey).parse(
      await this.#reads.query(
        Prisma.sql`
          SELECT k.id, k.account_id AS "accountId", k.seat_id AS "seatId", k.name, k.display_prefix AS "displayPrefix",
            k.kind, k.created_at AS "createdAt", k.revoked_at AS "revokedAt"
          FROM api_keys k
          WHERE k.account_id = ${accountId} AND k.kind <> 'playground' AND ${isAfter} ${orderAndLimit}`,
        signal,
      ),
    );
  }
}
