import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';

const counts = z.tuple([z.object({ count: z.int() })]);
const answers = z.tuple([z.object({ isDone: z.boolean() })]);

/** Adds settled records to the sums of usage. */
export class RollUpStore extends PrismaStore {
  /**
   * Sums up settlements that are pending, the oldest first, each exactly once.
   * @returns how many there were; none while another control plane is doing so
   */
  async rollUp(most: number): Promise<number> {
    const [{ count }] = counts.parse(
      await this.prisma.$queryRaw`SELECT roll_up_settlements(${most}::int) AS count`,
    );
    return count;
  }

  /**
   * Adds so many minutes to the sums of their hours and days, each exactly once.
   * @returns false when there are not so many yet, or others add requests to hours and days just now
   */
  async widen(minutes: number): Promise<boolean> {
    const [{ isDone }] = answers.parse(
      await this.prisma.$queryRaw`SELECT widen_rollups(${minutes}::int) AS "isDone"`,
    );
    return isDone;
  }
}
