import { z } from 'zod';
import { PrismaStore, queryRows } from '../database/prisma-store.ts';
import { emitEvent } from '../events/emit-event-store.ts';
import type { Disagreement } from './ledger-store.ts';

const stored = z.array(z.object({ id: z.string() }));

export class LedgerMismatchStore extends PrismaStore {
  /**
   * Stores an event for each disagreement of the ledger that was not found before.
   * @param isComplete true: these are all that there are, so that others have been resolved, and are reported
   *   again if they come back
   */
  async report(disagreements: readonly Disagreement[], isComplete: boolean): Promise<void> {
    const byId = new Map(disagreements.map((each) => [`${each.kind} ${each.id}`, each]));
    const ids = [...byId.keys()];
    await this.prisma.$transaction(async (transaction) => {
      if (isComplete)
        await transaction.$executeRaw`
          DELETE FROM reported_states WHERE kind = 'ledger' AND id <> ALL(${ids}::text[])`;
      const added = await queryRows(transaction, stored)`
        INSERT INTO reported_states (kind, id, level)
        SELECT 'ledger', id, 1 FROM unnest(${ids}::text[]) AS id ORDER BY id
        ON CONFLICT DO NOTHING RETURNING id`;
      await emitEvent(
        transaction,
        ...added.flatMap(({ id }) => {
          const data = byId.get(id);
          return data === undefined ? [] : [{ type: 'ledger.mismatch' as const, accountId: null, data }];
        }),
      );
    });
  }
}
