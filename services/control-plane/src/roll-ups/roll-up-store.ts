import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';

const counts = z.tuple([z.object({ count: z.int() })]);
const outcomes = z.tuple([z.object({ isDone: z.boolean() })]);

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
   * @returns false when too few minutes are due, or another control plane is adding them
   */
  async widen(minutes: number): Promise<boolean> {
    const [{ isDone }] = await this.query(outcomes)`SELECT widen_rollups(${minutes}::int) AS "isDone"`;
    return isDone;
  }
}
