import { formatUsd } from '@model-gateway/shared';
import {
  type BudgetState,
  budgetWindowId,
  type Calendar,
  type CombinedRules,
  combineRules,
  type LevelRules,
  RULE_SCOPES,
  type Rules,
  type RulesReport,
  ruleOwner,
  rules,
  rulesReport,
  ruleTimeMs,
  scopeOfOwner,
  windowAt,
} from '@model-gateway/shared/rules';
import { z } from 'zod';
import type { AccountStore } from '../accounts/account-store.ts';
import type { BudgetStore } from '../billing/budget-store.ts';
import { calendarColumns } from '../rules/resolved-rules.ts';
import type { RulesStore } from '../rules/rules-store.ts';
import type { RulesOwner } from './rules-owner.ts';

export interface ReportRulesContext {
  rulesStore: Pick<RulesStore, 'read'>;
  accountStore: Pick<AccountStore, 'require'>;
  budgetStore: Pick<BudgetStore, 'states'>;
}

/** Returns the rules of an owner, the rules of all its levels together, and what their budgets have left. */
export async function reportRules(context: ReportRulesContext, owner: RulesOwner): Promise<RulesReport> {
  const template = ruleOwner('end_users', owner.accountId);
  const stored = await context.rulesStore.read([...owner.levels, template]);
  const isTemplated = owner.endUser !== undefined && !stored.has(owner.text);
  const levels = owner.levels.map((level) => (isTemplated && level === owner.text ? template : level));
  const { effective, from } = combineRules(
    levels.map((level) => levelRules(level, stored.get(level), owner)),
  );
  return rulesReport.parse({
    ...(stored.get(owner.text) ?? NONE),
    effective,
    from,
    spend: await spendOf(context, owner, effective),
  });
}

const NONE: Rules = rules.parse({});
const scope = z.enum(RULE_SCOPES);

/** Adds the expiry of the key itself to its level. */
function levelRules(level: string, own: Rules = NONE, { expiresAt, text }: RulesOwner): LevelRules {
  const hasOwnExpiry = level === text && expiresAt != null;
  const expiry = hasOwnExpiry
    ? Math.min(expiresAt.getTime(), own.expires_at === null ? Infinity : ruleTimeMs(own.expires_at))
    : undefined;
  return {
    scope: scope.parse(scopeOfOwner(level)),
    rules: expiry === undefined ? own : { ...own, expires_at: new Date(expiry).toISOString() },
  };
}

/** Skips budgets of a template: they count for each end user alone. */
async function spendOf(
  { accountStore, budgetStore }: ReportRulesContext,
  { accountId, endUser, teamAccountId }: RulesOwner,
  { budgets }: CombinedRules,
): Promise<BudgetState[]> {
  const counted = budgets.filter((budget) => budget.scope !== 'end_user' || endUser !== undefined);
  if (counted.length === 0) return [];
  const calendarOf = async (id: string): Promise<Calendar> =>
    calendarColumns.parse(await accountStore.require(id));
  const own = await calendarOf(accountId);
  const teams = teamAccountId === undefined ? own : await calendarOf(teamAccountId);
  const windows = counted.map((budget) => {
    const calendar = budget.scope === 'seat' || budget.scope === 'team' ? teams : own;
    const bounds = windowAt(budget.window, calendar, Date.now());
    const user = budget.scope === 'end_user' ? endUser : undefined;
    return { budget, bounds, id: budgetWindowId(budget.id ?? '', bounds.id, user) };
  });
  const states = await budgetStore.states(windows.map(({ id }) => id));
  return windows.flatMap(({ bounds, budget, id }) => {
    const state = states.find(({ windowId }) => windowId === id);
    // The budget was removed meanwhile.
    if (state === undefined) return [];
    return {
      id: budget.id ?? '',
      scope: budget.scope,
      window: budget.window,
      on_exceed: budget.on_exceed,
      limit_usd: formatUsd(state.limit),
      spent_usd: formatUsd(state.spent),
      reserved_usd: formatUsd(state.reserved),
      remaining_usd: formatUsd(state.remaining),
      resets_at: bounds.endsAtMs === Infinity ? null : new Date(bounds.endsAtMs).toISOString(),
    };
  });
}
