import { intersectGlobs, intersectNetworks } from './intersect-lists.ts';
import { type BudgetRule, type RuleScope, type Rules, ruleTimeMs } from './rules.ts';

/** Rules of one level. */
export interface LevelRules {
  scope: RuleScope;
  rules: Rules;
}

/** Budgets of all levels; `scope` is the level of each. */
export type EffectiveBudget = BudgetRule & { scope: RuleScope };
export type CombinedRules = Omit<Rules, 'budgets'> & { budgets: EffectiveBudget[] };

/** The level that decided each member, several as `key, account`; null: none has a rule. */
export type DecidedBy = Record<keyof Rules, string | null>;

/** Returns what all levels allow together, and which levels decided it. @param levels lowest first */
export function combineRules(levels: readonly LevelRules[]): { effective: CombinedRules; from: DecidedBy } {
  const models = combineList(levels, (rules) => rules.models, intersectGlobs);
  const providers = combineList(levels, (rules) => rules.providers, intersectGlobs);
  const endpoints = combineList(levels, (rules) => rules.endpoints, intersectNames);
  const networks = combineList(levels, (rules) => rules.networks, intersectNetworks);
  const requests = lowest(levels, ({ requests_per_minute }) => requests_per_minute);
  const tokens = lowest(levels, ({ tokens_per_minute }) => tokens_per_minute);
  const streams = lowest(levels, (rules) => rules.streams);
  const expiry = lowest(levels, ({ expires_at }) => (expires_at === null ? null : ruleTimeMs(expires_at)));
  const budgets = levels.flatMap(({ rules, scope }) => rules.budgets.map((each) => ({ ...each, scope })));
  const effective: CombinedRules = {
    models: models.value,
    providers: providers.value,
    endpoints: endpoints.value,
    networks: networks.value,
    budgets,
    requests_per_minute: requests.value,
    tokens_per_minute: tokens.value,
    streams: streams.value,
    expires_at: expiry.value === null ? null : new Date(expiry.value).toISOString(),
    require_tags: [...new Set(levels.flatMap(({ rules }) => rules.require_tags))],
    require_end_user: levels.some(({ rules }) => rules.require_end_user),
  };
  const from: DecidedBy = {
    models: models.from,
    providers: providers.from,
    endpoints: endpoints.from,
    networks: networks.from,
    budgets: scopesWhere(levels, (rules) => rules.budgets.length > 0),
    requests_per_minute: requests.from,
    tokens_per_minute: tokens.from,
    streams: streams.from,
    expires_at: expiry.from,
    require_tags: scopesWhere(levels, ({ require_tags }) => require_tags.length > 0),
    require_end_user: scopesWhere(levels, ({ require_end_user }) => require_end_user),
  };
  return { effective, from };
}

/** Names one level if its own list is the whole intersection, else all levels with a list. */
function combineList<Entry extends string>(
  levels: readonly LevelRules[],
  listOf: (rules: Rules) => readonly Entry[] | null,
  intersect: (lists: readonly (readonly Entry[])[]) => Entry[],
): { value: Entry[] | null; from: string | null } {
  const withList = levels.flatMap(({ rules, scope }) => {
    const list = listOf(rules);
    return list === null ? [] : [{ list, scope }];
  });
  if (withList.length === 0) return { value: null, from: null };
  const value = intersect(withList.map(({ list }) => list));
  const alone = withList.find(({ list }) => isSameSet(intersect([list]), value));
  return { value, from: alone?.scope ?? joinScopes(withList.map(({ scope }) => scope)) };
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && new Set([...one, ...other]).size === one.length;
}

function intersectNames<Name extends string>(lists: readonly (readonly Name[])[]): Name[] {
  const [first = [], ...others] = lists;
  return [...new Set(first)].filter((name) => others.every((list) => list.includes(name)));
}

function lowest(levels: readonly LevelRules[], numberOf: (rules: Rules) => number | null) {
  let found: { value: number | null; from: string | null } = { value: null, from: null };
  for (const { rules, scope } of levels) {
    const value = numberOf(rules);
    if (value !== null && (found.value === null || value < found.value)) found = { value, from: scope };
  }
  return found;
}

function scopesWhere(levels: readonly LevelRules[], has: (rules: Rules) => boolean): string | null {
  return joinScopes(levels.filter(({ rules }) => has(rules)).map(({ scope }) => scope));
}

function joinScopes(scopes: readonly RuleScope[]): string | null {
  return scopes.length === 0 ? null : [...new Set(scopes)].join(', ');
}
