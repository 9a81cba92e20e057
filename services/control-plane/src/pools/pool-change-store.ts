import { z } from 'zod';
import type { Actor } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { type Recall, recalls } from '../billing/allowance-store.ts';
import { PrismaStore, queryRows, type Transaction } from '../database/prisma-store.ts';
import { poolChange } from './pool-change.ts';
import { accountOfPool, findPool, type StoredPool } from './pool-store.ts';

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
    actor: Actor,
    id: string,
    { included, name }: { included: bigint | null; name: string | undefined },
  ): Promise<ChangeOutcome> {
    return await this.prisma.$transaction(async (transaction) => {
      const before = await lockPool(transaction, id);
      const [outcome] = await queryRows(transaction, changeOutcomes)`
        SELECT changed, recalls, charged, held FROM change_pool(${id}, ${included}::bigint, ${name ?? null})`;
      if (outcome.changed) await recordPool(transaction, actor, 'pool.changed', before);
      return outcome;
    });
  }

  /** @returns recalls sent to data planes, because their unused money is taken out, too */
  async remove(actor: Actor, id: string): Promise<Recall[]> {
    return await this.prisma.$transaction(async (transaction) => {
      const before = await lockPool(transaction, id);
      const [outcome] = await queryRows(transaction, removeOutcomes)`SELECT recalls FROM remove_pool(${id})`;
      await recordPool(transaction, actor, 'pool.removed', before);
      return outcome.recalls;
    });
  }

  /** Lists what was taken out of removed pools so far, and what is held. An unlimited pool has 0 taken. */
  removed(ids: readonly string[]): Promise<RemovedPool[]> {
    return this.query(removedPools)`
      SELECT p.id AS "poolId", p.held, greatest(-coalesce(sum(e.amount), 0), 0)::bigint AS taken
      FROM pools p LEFT JOIN ledger_entries e ON e.pool_id = p.id AND e.kind = 'removed'
      WHERE p.id = ANY(${ids}) GROUP BY p.id ORDER BY array_position(${ids}, p.id)`;
  }
}

/** Locks a pool as requests do: fills it if its month is over, and removes it if it has expired. */
async function lockPool(transaction: Transaction, id: string): Promise<StoredPool | null> {
  await transaction.$executeRaw`SELECT lock_pools(ARRAY[${id}])`;
  return await findPool(transaction, id);
}

async function recordPool(
  transaction: Transaction,
  actor: Actor,
  action: 'pool.changed' | 'pool.removed',
  before: StoredPool | null,
): Promise<void> {
  const after = before && (await findPool(transaction, before.id));
  if (after === null) return;
  const accountId = await accountOfPool(transaction, after);
  await recordChange(transaction, actor, poolChange(action, accountId, before, after));
}
