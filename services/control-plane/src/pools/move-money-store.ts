import type { PrismaClient } from '@model-gateway/database';
import { z } from 'zod';
import type { Recall } from '../billing/allowance-store.ts';
import type { PoolOwner } from './pool-store.ts';

/** What SQL function move_pool_money returns; amounts in nano-USD. */
export interface MoveOutcome {
  moved: boolean;
  /** The owner has so many pools that it gets no other one. */
  tooMany: boolean;
  /** The pool that has got it. */
  target: string | null;
  /** What others have been asked for, because too little is left. */
  recalls: Recall[];
  /** Of the pool that the money comes from. */
  remaining: bigint;
  held: bigint;
}

const outcomes = z.tuple([
  z.object({
    moved: z.boolean(),
    tooMany: z.boolean(),
    target: z.string().nullable(),
    recalls: z.array(z.object({ allowanceId: z.string(), recall: z.int() })),
    remaining: z.bigint(),
    held: z.bigint(),
  }),
]);

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
