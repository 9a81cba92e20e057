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

const removeOutcomes = z.tuple([z.object({ taken: z.bigint(), recalls })]);

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

  /** @returns `taken`: nano-USD left when it was removed */
  async remove(id: string): Promise<{ taken: bigint; recalls: Recall[] }> {
    const [outcome] = await this.query(removeOutcomes)`SELECT taken, recalls FROM remove_pool(${id})`;
    return outcome;
  }
}
