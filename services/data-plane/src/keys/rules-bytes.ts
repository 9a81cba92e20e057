import type { EffectiveRules } from '@model-gateway/shared/rules';
import type { KeyContext } from './key-context.ts';

const ENTRY_BYTES = 40;
const BUDGET_BYTES = 300;

/** Returns about how much memory rules take. Equal lists take it once, but count each time. */
export function bytesOfRules(rules: EffectiveRules | undefined): number {
  if (rules === undefined) return 0;
  const { budgets, endpoints, models, networks, providers, requireTags } = rules;
  const entries = [...models, ...providers, ...endpoints, ...networks, requireTags].flat();
  return BUDGET_BYTES * budgets.length + entries.reduce((sum, { length }) => sum + ENTRY_BYTES + length, 0);
}

/** Returns about how much memory the rules of a key take, as `bytesOfRules`. */
export function bytesOfKeyRules({ endUsers, rules }: Pick<KeyContext, 'endUsers' | 'rules'>): number {
  return bytesOfRules(rules) + bytesOfRules(endUsers?.template);
}
