import type { EffectiveRulesMessage } from '@model-gateway/contracts';
import {
  BUDGET_WINDOWS,
  type EffectiveRules,
  RULE_SCOPES,
  type RuleBudget,
  WEEK_DAYS,
} from '@model-gateway/shared/rules';
import { internList } from './intern-list.ts';

/** Reads rules. @throws Error for a budget of a kind that this release does not know: it may be a cap */
export function rulesFromMessage(message: EffectiveRulesMessage): EffectiveRules {
  const lists = (of: { entries: string[] }[]) => of.map(({ entries }) => internList(entries));
  return {
    models: lists(message.models),
    providers: lists(message.providers),
    endpoints: lists(message.endpoints),
    networks: lists(message.networks),
    budgets: message.budgets.map(budgetFromMessage),
    requestsPerMinute: optionalNumber(message.requestsPerMinute),
    tokensPerMinute: optionalNumber(message.tokensPerMinute),
    requireTags: message.requireTags,
    requireEndUser: message.requireEndUser,
  };
}

function budgetFromMessage(message: EffectiveRulesMessage['budgets'][number]): RuleBudget {
  const { id, timezone, warns } = message;
  return {
    id,
    scope: known(RULE_SCOPES, message.scope),
    window: known(BUDGET_WINDOWS, message.window),
    warns,
    calendar: { timezone, weekStarts: known(WEEK_DAYS, message.weekStarts) },
  };
}

function known<Value extends string>(values: readonly Value[], text: string): Value {
  const value = values.find((each) => each === text);
  if (value === undefined) throw new Error(`the control plane sent a budget with an unknown "${text}"`);
  return value;
}

function optionalNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
