import { budgetId, type Rules, rules } from '@model-gateway/shared/rules';
import type { Change } from '../actors/change-guard.ts';
import type { RecordedChange } from '../audit/record-change.ts';

/** The owner of rules, as audit events name it. */
export type RulesEvent = Pick<Change, 'object' | 'accountId'>;

/** Rules of an owner before and after a change; undefined: it has none. */
export interface WrittenRules {
  before: Rules | undefined;
  after: Rules | undefined;
}

/** Describes a change of rules for its audit event. */
export function rulesChange(event: RulesEvent, { before, after }: WrittenRules): RecordedChange {
  // Rules of an end user that restrict nothing are not the same as none: then the account's template applies.
  const isOfEndUser = event.object.type === 'end_user' && before !== after;
  const shown = (stored: Rules | undefined) =>
    isOfEndUser && stored === undefined ? null : rulesResource(stored);
  return { action: 'rules.changed', ...event, before: shown(before), after: shown(after) };
}

/** Rules as the management API and audit events show them. @param stored undefined: none */
export function rulesResource(stored: Rules | undefined): Rules {
  return rules.parse(stored ?? {});
}

/** Adds the ids that the budgets of an owner get when they are stored. */
export function withBudgetIds(owner: string, given: Rules): Rules {
  const ids = given.budgets.map(({ window }, position) => {
    const index = given.budgets.slice(0, position).filter((other) => other.window === window).length;
    return budgetId(owner, window, index);
  });
  const budgets = given.budgets.map((budget, position) => ({ ...budget, id: ids[position] }));
  return { ...given, budgets };
}
