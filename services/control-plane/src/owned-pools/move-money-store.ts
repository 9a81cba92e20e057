import { encodeLevel, formatUsd } from '@model-gateway/shared';
import { z } from 'zod';
import type { Actor } from '../actors/actor.ts';
import { type RecordedChange, recordChange } from '../audit/record-change.ts';
import { recalls } from '../billing/allowance-store.ts';
import { PrismaStore, queryRows, type Transaction } from '../database/prisma-store.ts';
import { poolChange } from '../pools/pool-change.ts';
import { accountOfPool, findPool, type PoolOwner } from '../pools/pool-store.ts';

const outcomes = z.tuple([
  z.object({
    moved: z.boolean(),
    /** True when the receiver has reached the maximum of pools. */
    tooMany: z.boolean(),
    /** Id of the receiving pool; null when nothing was moved. */
    target: z.string().nullable(),
    /** Recalls sent to data planes, because too little is left. */
    recalls,
    /** Left in the source pool. */
    remaining: z.bigint(),
    held: z.bigint(),
  }),
]);
/** Result of the SQL function move_pool_money; amounts in nano-USD. */
export type MoveOutcome = z.infer<typeof outcomes>[0];

/** Moves money between pools with move_pool_money (prisma/functions). */
export class MoveMoneyStore extends PrismaStore {
  /**
   * @param amount nano-USD, above 0
   * @param to pool to create when its owner has none with this name and reset rule
   */
  async move(
    actor: Actor,
    from: string,
    amount: bigint,
    to: { id: string; name: string; owner: PoolOwner },
    maxPools: number,
  ): Promise<MoveOutcome> {
    return await this.prisma.$transaction(async (transaction) => {
      const [outcome] = await queryRows(transaction, outcomes)`
        SELECT moved, too_many AS "tooMany", target, recalls, remaining, held FROM move_pool_money(
          ${from}, ${amount}::bigint, ${to.id}, ${to.name}, ${encodeLevel(to.owner)},
          ${maxPools}::int
        )`;
      if (!outcome.moved || outcome.target === null) return outcome;
      const [moved, ...created] = await movedChanges(transaction, { from, to: outcome.target, amount });
      await recordChange(transaction, actor, moved, ...(outcome.target === to.id ? created : []));
      return outcome;
    });
  }
}

/** Describes a transfer between two pools, and the receiving pool as a new one. */
async function movedChanges(
  transaction: Transaction,
  { amount, from, to }: { from: string; to: string; amount: bigint },
): Promise<[RecordedChange, RecordedChange]> {
  const [source, target] = [await findPool(transaction, from), await findPool(transaction, to)];
  if (source === null || target === null) throw new Error('a pool that money was moved between is missing');
  const accountId = await accountOfPool(transaction, source);
  return [
    {
      action: 'money.moved',
      object: { type: 'pool', id: from, name: source.name },
      accountId,
      before: null,
      after: { from_pool_id: from, to_pool_id: to, usd: formatUsd(amount) },
    },
    poolChange('pool.created', accountId, null, target),
  ];
}
