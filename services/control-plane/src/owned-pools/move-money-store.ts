import { encodeLevel } from '@model-gateway/shared';
import { z } from 'zod';
import { recalls } from '../billing/allowance-store.ts';
import { PrismaStore } from '../database/prisma-store.ts';
import type { PoolOwner } from '../pools/pool-store.ts';

const outcomes = z.tuple([
  z.object({
    moved: z.boolean(),
    /** True when the receiver has so many pools that it cannot get another one. */
    tooMany: z.boolean(),
    /** Id of the pool that received the money; null when nothing was moved. */
    target: z.string().nullable(),
    /** Questions that data planes were asked, because too little is left. */
    recalls,
    /** What remains in the pool that the money comes from. */
    remaining: z.bigint(),
    held: z.bigint(),
  }),
]);
/** The answer of the SQL function move_pool_money; amounts in nano-USD. */
export type MoveOutcome = z.infer<typeof outcomes>[0];

/** Moves money between pools, with the function move_pool_money (prisma/functions). */
export class MoveMoneyStore extends PrismaStore {
  /**
   * @param from an existing pool
   * @param amount nano-USD, above 0
   * @param to the new pool that is made when its owner has no pool of this name with the same reset rule; the
   *   owner exists
   * @param maxPools how many pools its owner may have
   */
  async move(
    from: string,
    amount: bigint,
    to: { id: string; name: string; owner: PoolOwner },
    maxPools: number,
  ): Promise<MoveOutcome> {
    const [outcome] = outcomes.parse(
      await this.prisma.$queryRaw`
        SELECT moved, too_many AS "tooMany", target, recalls, remaining, held FROM move_pool_money(
          ${from}, ${amount}::bigint, ${to.id}, ${to.name}, ${encodeLevel(to.owner)},
          ${maxPools}::int
        )`,
    );
    return outcome;
  }
}
