import { z } from 'zod';
import { type Recall, recalls } from '../billing/allowance-store.ts';
import { PrismaStore } from '../database/prisma-store.ts';

const changeOutcomes = z.tuple([
  z.object({
    changed: z.boolean(),
    /** Recalls sent to data planes, because their unused money would allow the change. */
    recalls,
    charged: z.bigint(),
    held: z.bigint(),
  }),
]);
/** Result of the SQL function change_pool; amounts in nano-USD. */
export type ChangeOutcome = z.infer<typeof changeOutcomes>[0];

const removeOutcomes = z.tuple([z.object({ recalls })]);

const removedPools = z.array(z.object({ poolId: z.string(), taken: z.bigint(), held: z.bigint() }));
/** A removed pool; amounts in nano-USD. */
export type RemovedPool = z.infer<typeof removedPools>[number];

export class PoolChangeStore extends PrismaStore {
  /** @param to.included nano-USD, above 0; null: unlimited @param to.name undefined: keep the name */
  async change(
    id: string,
    { included, name }: { included: bigint | null; name: string | undefined },
  ): Promise<ChangeOutcome> {
    const [outcome] = await this.query(changeOutcomes)`
      SELECT changed, recalls, charged, held FROM change_pool(${id}, ${included}::bigint, ${name ?? null})`;
    return outcome;
  }

  /** @returns recalls sent to data planes, because their unused money is taken out, too */
  async remove(id: string): Promise<Recall[]> {
    const [outcome] = await this.query(removeOutcomes)`SELECT recalls FROM remove_pool(${id})`;
    return outcome.recalls;
  }

  /** Lists what was taken out of removed pools so far, and what is held. An unlimited pool has 0 taken. */
  removed(ids: readonly string[]): Promise<RemovedPool[]> {
    return this.query(removedPools)`
      SELECT p.id AS "poolId", p.held, greatest(-coalesce(sum(e.amount), 0), 0)::bigint AS taken
      FROM pools p LEFT JOIN ledger_entries e ON e.pool_id = p.id AND e.kind = 'removed'
      WHERE p.id = ANY(${ids}) GROUP BY p.id ORDER BY array_position(${ids}, p.id)`;
  }
}
