import { z } from 'zod';
import { usd } from './usage.ts';

/** The query of /api/statements, /api/statements.csv and /api/statements.pdf. */
export const statementQuery = z.object({
  /** A month in UTC that has begun. */
  month: z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-11'),
});

/** Requests that ended in the month. */
const line = { requests: z.number(), amountUsd: usd };

/**
 * GET /api/statements: what became of an account's money in a month, by the ledger. Includes the pools of the
 * account's teams. opening + credits − lapsed − spent = closing.
 */
export const statementResponse = z.object({
  accountId: z.string(),
  email: z.string(),
  name: z.string(),
  month: z.string(),
  /** False: the month goes on, and the closing balance is that of now. */
  isComplete: z.boolean(),
  openingUsd: usd,
  /** Negative: taken out by the operator. */
  credits: z.array(z.object({ name: z.string(), amountUsd: usd })),
  /** Credit whose time was over. */
  lapsedUsd: usd,
  spentUsd: usd,
  closingUsd: usd,
  models: z.array(z.object({ model: z.string(), ...line })),
  /** Keys of the account, and seats of other accounts. */
  keys: z.array(z.object({ id: z.string(), name: z.string(), team: z.string().nullable(), ...line })),
  /**
   * spent − the sum of `models`, which is that of `keys`: requests that ended in a month and were charged in
   * the next one.
   */
  otherMonthUsd: usd,
});
export type StatementResponse = z.infer<typeof statementResponse>;
