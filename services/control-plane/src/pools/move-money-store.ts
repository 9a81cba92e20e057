import type { PrismaClient } from '@model-gateway/database';
import { z } from 'zod';
import type { Recall } from '../billing/allowance-store.ts';
import type { PoolOwner } from './pool-store.ts';

/** What SQL function move_pool_money returns; amounts in nano-USD. */
export interface MoveOutcome {
  moved: boolean;
  /** What others have been asked for, because too little is left. */
  recalls: Recall[];
  /** Of the pool that the money comes from. */
  remaining: bigint;
  held: bigint;
}

const outcomes = z.tuple([
  z.object({
    moved: z.boolean(),
    recalls: z.array(z.object({ allowanceId: z.string(), recall: z.int() })),
    remaining: z.bigint(),
    held: z.bigint(),
  }),
]);

/** Moves money between pools, by a function of the migration "dashboard". */
export class MoveMoneyStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /** @param from a pool that exists. `amount`: nano-USD, above 0. `to`: the new pool, whose owner exists */
  async move(
    from: string,
    amount: bigint,
    to: { id: string; name: string; owner: PoolOwner },
  ): Promise<MoveOutcome> {
    const ownerId = (scope: PoolOwner['scope']) => (to.owner.scope === scope ? to.owner.id : null);
    const [outcome] = outcomes.parse(
      await this.#prisma.$queryRaw`
        SELECT moved, recalls, remaining, held FROM move_pool_money(
          ${from}, ${amount}::bigint, ${to.id}, ${to.name},
          ${ownerId('account')}, ${ownerId('team')}, ${ownerId('seat')}
        )`,
    );
    return outcome;
  }
}
