import type { Calendar } from './budget-window.ts';
import type { BudgetWindow, RuleScope } from './rules.ts';

/** A budget that a request must fit into. */
export interface RuleBudget {
  id: string;
  scope: RuleScope;
  window: BudgetWindow;
  /** True: exceeding it is reported, and blocks nothing. */
  warns: boolean;
  calendar: Calendar;
}

/**
 * Rules of all levels of a key together. Lists are one per level that has one: a value must be in each of
 * them. Limits are the lowest of all levels.
 */
export interface EffectiveRules {
  models: readonly (readonly string[])[];
  providers: readonly (readonly string[])[];
  endpoints: readonly (readonly string[])[];
  networks: readonly (readonly string[])[];
  budgets: readonly RuleBudget[];
  requestsPerMinute?: number | undefined;
  tokensPerMinute?: number | undefined;
  requireTags: readonly string[];
  requireEndUser: boolean;
}
