import { z } from 'zod';
import { type Recall, recalls } from '../billing/allowance-store.ts';
import { PrismaStore } from '../database/prisma-store.ts';

const changeOutcomes = z.tuple([
  z.object({
    changed: z.boolean(),
    /** Questions that data planes were asked, because their unused money would make the change possible. */
    recalls,
    charged: z.bigint(),
    held: z.bigint(),
  }),
]);
/** The answer of the SQL function change_pool; amounts in nano-USD. */
export type ChangeOutcome = z.infer<typeof changeOutcomes>[0];

const removeOutcomes = z.tuple([z.object({ taken: z.bigint(), recalls })]);

/** Changes and removes pools, with the functions change_pool and remove_pool (prisma/functions). */
export class PoolChangeStore extends PrismaStore {
  /**
   * @param id of an existing pool
   * @param to.included nano-USD, above 0
   * @param to.name undefined: the name stays
   */
  async change(
    id: string,
    { included, name }: { included: bigint; name: string | undefined },
  ): Promise<ChangeOutcome> {
    const [outcome] = changeOutcomes.parse(
      await this.prisma.$queryRaw`
        SELECT changed, recalls, charged, held FROM change_pool(${id}, ${included}::bigint, ${name ?? null})`,
    );
    return outcome;
  }

  /** @returns `taken`: what was left of it when it was removed, in nano-USD */
  async remove(id: string): Promise<{ taken: bigint; recalls: Recall[] }> {
    const [outcome] = removeOutcomes.parse(
      await this.prisma.$queryRaw`SELECT taken, recalls FROM remove_pool(${id})`,
    );
    return outcome;
  }
}
