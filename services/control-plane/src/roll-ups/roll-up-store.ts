import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';

const counts = z.tuple([z.object({ count: z.int() })]);
const answers = z.tuple([z.object({ isDone: z.boolean() })]);

export class RollUpStore extends PrismaStore {
  /**
   * Sums up pending settlements, oldest first, once each.
   * @returns their number; 0 while another control plane does so
   */
  async rollUp(max: number): Promise<number> {
    const [{ count }] = await this.query(counts)`SELECT roll_up_settlements(${max}::int) AS count`;
    return count;
  }

  /**
   * Adds minutes to their hours and days, once each.
   * @returns false when there are too few, or another is adding now
   */
  async widen(minutes: number): Promise<boolean> {
    const [{ isDone }] = await this.query(answers)`SELECT widen_rollups(${minutes}::int) AS "isDone"`;
    return isDone;
  }
}
