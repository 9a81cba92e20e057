import { encodeLevel } from '@model-gateway/shared';
import { z } from 'zod';
import { recalls } from '../billing/allowance-store.ts';
import { PrismaStore } from '../database/prisma-store.ts';
import type { PoolOwner } from '../pools/pool-store.ts';

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
    from: string,
    amount: bigint,
    to: { id: string; name: string; owner: PoolOwner },
    maxPools: number,
  ): Promise<MoveOutcome> {
    const [outcome] = await this.query(outcomes)`
      SELECT moved, too_many AS "tooMany", target, recalls, remaining, held FROM move_pool_money(
        ${from}, ${amount}::bigint, ${to.id}, ${to.name}, ${encodeLevel(to.owner)},
        ${maxPools}::int
      )`;
    return outcome;
  }
}
