import type { Calendar, RuleBudget, RuleScope, Rules } from '@model-gateway/shared/rules';
import {
  BUDGET_WINDOWS,
  RULE_SCOPES,
  rules,
  ruleTimeMs,
  scopeOfOwner,
  WEEK_DAYS,
} from '@model-gateway/shared/rules';
import { z } from 'zod';
import { omitAbsent } from '../omit-absent.ts';

/** Rules and budgets as `rulesColumns` of rules-columns-store.ts reads them. */
export const storedRules = z.object({
  rules: z.array(z.object({ owner: z.string(), rules: rules.omit({ budgets: true }) })).nullable(),
  budgets: z
    .array(
      z.object({ id: z.string(), owner: z.string(), window: z.enum(BUDGET_WINDOWS), warns: z.boolean() }),
    )
    .nullable(),
});
export type StoredRules = z.infer<typeof storedRules>;
type LevelRules = Omit<Rules, 'budgets'>;

/** Rules of a key's levels together, and what KeyContext has elsewhere. */
export interface ResolvedRules {
  message: ReturnType<typeof rulesMessage>;
  /** Unix milliseconds; undefined: never. */
  expiresAtMs: number | undefined;
  streams: number | undefined;
}

/**
 * Combines the rules of levels.
 * @param calendarOf the calendar of the account that owns the level
 * @returns undefined when no level has rules
 */
export function resolveRules(
  { budgets, rules: levels }: StoredRules,
  calendarOf: (owner: string) => Calendar,
): ResolvedRules | undefined {
  if (levels === null && budgets === null) return undefined;
  const all = (levels ?? []).map((level) => level.rules);
  return {
    message: rulesMessage(
      all,
      (budgets ?? []).map((budget) => ruleBudget(budget, calendarOf(budget.owner))),
    ),
    expiresAtMs: lowest(all.flatMap(({ expires_at }) => (expires_at === null ? [] : ruleTimeMs(expires_at)))),
    streams: lowest(all.flatMap(({ streams }) => streams ?? [])),
  };
}

function rulesMessage(levels: readonly LevelRules[], budgets: readonly RuleBudget[]) {
  const lists = (member: 'models' | 'providers' | 'endpoints' | 'networks') =>
    levels.flatMap(({ [member]: entries }) => (entries === null ? [] : { entries }));
  return {
    models: lists('models'),
    providers: lists('providers'),
    endpoints: lists('endpoints'),
    networks: lists('networks'),
    budgets: budgets.map(({ calendar, ...budget }) => ({ ...budget, ...calendar })),
    ...omitAbsent({
      requestsPerMinute: lowest(levels.flatMap(({ requests_per_minute }) => requests_per_minute ?? [])),
      tokensPerMinute: lowest(levels.flatMap(({ tokens_per_minute }) => tokens_per_minute ?? [])),
    }),
    requireTags: [...new Set(levels.flatMap(({ require_tags }) => require_tags))],
    requireEndUser: levels.some(({ require_end_user }) => require_end_user),
  };
}

function ruleBudget(
  { owner, ...budget }: NonNullable<StoredRules['budgets']>[number],
  calendar: Calendar,
): RuleBudget {
  return { ...budget, scope: requireScope(owner), calendar };
}

function requireScope(owner: string): RuleScope {
  const scope = RULE_SCOPES.find((known) => known === scopeOfOwner(owner));
  if (scope === undefined) throw new Error(`the budgets of ${owner} have no level`);
  return scope;
}

function lowest(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.min(...values);
}

/** Calendar columns of an account. */
export const calendarColumns = z.object({ timezone: z.string(), weekStarts: z.enum(WEEK_DAYS) });
