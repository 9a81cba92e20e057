import { isDeepStrictEqual } from 'node:util';
import { parseUsd } from '@model-gateway/shared';
import { rules, ruleTimeMs } from '@model-gateway/shared/rules';
import { compareField, type Difference } from './apply-run.ts';
import type { WantedRules } from './gateway-file.ts';

/** Compares the rules of an owner with those of the file, member by member. */
export function compareRules(current: WantedRules, wanted: WantedRules): Difference[] {
  return rules
    .keyof()
    .options.flatMap((member) =>
      compareField(`rules.${member}`, current[member], wanted[member], () =>
        isDeepStrictEqual(comparable(member, current), comparable(member, wanted)),
      ),
    );
}

/** Returns a value that is equal for equal rules. */
function comparable(member: keyof WantedRules, given: WantedRules): unknown {
  if (member === 'expires_at') return given.expires_at === null ? null : ruleTimeMs(given.expires_at);
  if (member === 'budgets') return given.budgets.map(comparableBudget).sort();
  const value = given[member];
  return Array.isArray(value) ? value.map(String).sort() : value;
}

function comparableBudget(budget: WantedRules['budgets'][number]): string {
  const { on_exceed, temporary_until, temporary_usd, usd, window } = budget;
  const until = temporary_until ?? null;
  return JSON.stringify([
    window,
    on_exceed,
    String(parseUsd(usd)),
    temporary_usd === undefined || temporary_usd === null ? null : String(parseUsd(temporary_usd)),
    until === null ? null : ruleTimeMs(until),
  ]);
}
