import type { PrismaClient } from '@model-gateway/database';
import { z } from 'zod';
import { recalls } from '../billing/allowance-store.ts';
import type { PoolOwner } from './pool-store.ts';

const outcomes = z.tuple([
  z.object({
    moved: z.boolean(),
    /** The owner has so many pools that it gets no other one. */
    tooMany: z.boolean(),
    /** The pool that has got it. */
    target: z.string().nullable(),
    /** What others have been asked for, because too little is left. */
    recalls,
    /** What the pool has that the money comes from. */
    remaining: z.bigint(),
    held: z.bigint(),
  }),
]);
/** What SQL function move_pool_money returns; amounts in nano-USD. */
export type MoveOutcome = z.infer<typeof outcomes>[0];

/** Moves money between pools, by the function move_pool_money (prisma/functions). */
export class MoveMoneyStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /**
   * @param from a pool that exists
   * @param amount nano-USD, above 0
   * @param to the new pool, should its owner have none of that name that is filled alike; the owner exists
   * @param maxPools that its owner may have
   */
  async move(
    from: string,
    amount: bigint,
    to: { id: string; name: string; owner: PoolOwner },
    maxPools: number,
  ): Promise<MoveOutcome> {
    const ownerId = (scope: PoolOwner['scope']) => (to.owner.scope === scope ? to.owner.id : null);
    const [outcome] = outcomes.parse(
      await this.#prisma.$queryRaw`
        SELECT moved, too_many AS "tooMany", target, recalls, remaining, held FROM move_pool_money(
          ${from}, ${amount}::bigint, ${to.id}, ${to.name},
          ${ownerId('account')}, ${ownerId('team')}, ${ownerId('seat')}, ${maxPools}::int
        )`,
    );
    return outcome;
  }
}
