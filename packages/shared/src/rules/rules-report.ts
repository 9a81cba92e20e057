import { z } from 'zod';
import { BUDGET_WINDOWS, RULE_SCOPES } from './rules.ts';

const list = z.array(z.string()).nullable();
const limit = z.number().nullable();

const reportedBudget = z.object({
  id: z.string(),
  usd: z.string(),
  window: z.enum(BUDGET_WINDOWS),
  on_exceed: z.enum(['block', 'warn']),
  temporary_usd: z.string().nullish(),
  temporary_until: z.union([z.string(), z.number()]).nullish(),
});
export type ReportedBudget = z.infer<typeof reportedBudget>;

const members = {
  models: list,
  providers: list,
  endpoints: list,
  networks: list,
  requests_per_minute: limit,
  tokens_per_minute: limit,
  streams: limit,
  expires_at: z.union([z.string(), z.number()]).nullable(),
  require_tags: z.array(z.string()),
  require_end_user: z.boolean(),
};

/** A budget in its current window. Amounts are dollars with nine decimals. */
export const budgetState = z.object({
  id: z.string(),
  scope: z.enum(RULE_SCOPES),
  window: z.enum(BUDGET_WINDOWS),
  on_exceed: z.enum(['block', 'warn']),
  /** Includes a temporary raise while it lasts. */
  limit_usd: z.string(),
  spent_usd: z.string(),
  /** Held for running requests. */
  reserved_usd: z.string(),
  /** At least 0. */
  remaining_usd: z.string(),
  /** ISO 8601; null: never. */
  resets_at: z.string().nullable(),
});
export type BudgetState = z.infer<typeof budgetState>;

/** The rules of an owner, together with those of the levels above it. */
export const rulesReport = z.object({
  ...members,
  budgets: z.array(reportedBudget),
  /** The intersection of all levels. */
  effective: z.object({
    ...members,
    budgets: z.array(reportedBudget.extend({ scope: z.enum(RULE_SCOPES) })),
  }),
  /** The level that decided each member of `effective`, several as `key, account`; null: none has a rule. */
  from: z.record(z.string(), z.string().nullable()),
  /** All budgets of `effective`. */
  spend: z.array(budgetState),
});
export type RulesReport = z.infer<typeof rulesReport>;
