import type { PrismaClient } from '@model-gateway/database';
import { z } from 'zod';
import { type Recall, recalls } from '../billing/allowance-store.ts';

const changeOutcomes = z.tuple([
  z.object({
    changed: z.boolean(),
    /** What data planes have been asked for, because without what they do not use it could be changed. */
    recalls,
    charged: z.bigint(),
    held: z.bigint(),
  }),
]);
/** What SQL function change_pool returns; amounts in nano-USD. */
export type ChangeOutcome = z.infer<typeof changeOutcomes>[0];

const removeOutcomes = z.tuple([z.object({ taken: z.bigint(), recalls })]);

/** Changes and removes pools, by the functions change_pool and remove_pool (prisma/functions). */
export class PoolChangeStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /**
   * @param id of a pool that exists
   * @param to.included nano-USD, above 0
   * @param to.name undefined: as it is
   */
  async change(
    id: string,
    { included, name }: { included: bigint; name: string | undefined },
  ): Promise<ChangeOutcome> {
    const [outcome] = changeOutcomes.parse(
      await this.#prisma.$queryRaw`
        SELECT changed, recalls, charged, held FROM change_pool(${id}, ${included}::bigint, ${name ?? null})`,
    );
    return outcome;
  }

  /** @returns `taken`: what was left of it when it was removed, in nano-USD */
  async remove(id: string): Promise<{ taken: bigint; recalls: Recall[] }> {
    const [outcome] = removeOutcomes.parse(
      await this.#prisma.$queryRaw`SELECT taken, recalls FROM remove_pool(${id})`,
    );
    return outcome;
  }
}
