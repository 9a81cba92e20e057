import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';

const states = z.array(
  z.object({
    windowId: z.string(),
    /** Limit now, including a temporary raise. All amounts are nano-USD. */
    limit: z.bigint(),
    spent: z.bigint(),
    /** Set aside for running requests, or held by data planes to spare. */
    reserved: z.bigint(),
    /** Can still be set aside. */
    remaining: z.bigint(),
  }),
);
export type BudgetWindowState = z.infer<typeof states>[number];

/** Reads what is left of budgets. Only the SQL functions in prisma/functions change it. */
export class BudgetStore extends PrismaStore {
  /**
   * Returns the state of windows of budgets, also of those in which nothing was spent yet. Skips removed
   * budgets.
   * @param windowIds as `budgetWindowId` makes them
   */
  async states(windowIds: readonly string[]): Promise<BudgetWindowState[]> {
    return await this.query(states)`
      SELECT given.id AS "windowId", budget_limit(b) AS "limit",
        coalesce(w.spent, 0) AS spent, coalesce(w.held, 0) AS reserved,
        greatest(budget_limit(b) - coalesce(w.spent, 0) - coalesce(w.held, 0), 0) AS remaining
      FROM unnest(${[...windowIds]}::text[]) WITH ORDINALITY AS given (id, place)
      JOIN budgets b ON b.id = split_part(given.id, '/', 1)
      LEFT JOIN budget_windows w ON w.id = given.id
      ORDER BY given.place`;
  }
}
