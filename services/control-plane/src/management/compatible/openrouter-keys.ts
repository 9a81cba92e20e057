import { type BudgetRule, budgetWindowId, windowAt } from '@model-gateway/shared/rules';
import type { ManagementActor } from '../../actors/actor.ts';
import type { ControlPlaneContext } from '../../context.ts';
import { notFound } from '../../errors/control-plane-error.ts';
import type { ListedKey } from '../../keys/openrouter-key-store.ts';
import { rulesOwnerTextOf } from '../../owned-rules/key-with-rules.ts';
import { calendarColumns } from '../../rules/resolved-rules.ts';
import { keyResponse, limitBudget, NO_USAGE } from './openrouter-key.ts';
import { usageOfKeys } from './openrouter-usage.ts';

/** @throws ControlPlaneError not_found, also for a key that is revoked for good */
export async function findKey(
  context: ControlPlaneContext,
  actor: ManagementActor,
  keyId: string,
  signal: AbortSignal,
) {
  const filter = { accountId: actor.accountId, keyId, includeDisabled: true, offset: 0 };
  const keys = await context.openRouterKeyStore.list(filter, signal);
  const [key] = await keyResponses(context, keys, signal);
  if (key === undefined) throw notFound(`there is no key ${keyId}`);
  return key;
}

/** Describes keys with their limits and what they have spent. */
export async function keyResponses(
  context: ControlPlaneContext,
  keys: readonly ListedKey[],
  signal: AbortSignal,
) {
  const stored = await context.rulesStore.read(keys.map(rulesOwnerTextOf));
  const limits = keys.map((key) => {
    const rules = stored.get(rulesOwnerTextOf(key));
    const budget = limitBudget(rules);
    return { key, rules, window: budget && windowIdOf(budget, key) };
  });
  const windows = limits.flatMap(({ window }) => window ?? []);
  const [states, usage] = await Promise.all([
    context.budgetStore.states(windows),
    usageOfKeys(context, keys, signal),
  ]);
  const remaining = new Map(states.map((state) => [state.windowId, state.remaining]));
  return limits.map(({ key, rules, window }) =>
    keyResponse(
      key,
      rules,
      usage.get(key.id) ?? NO_USAGE,
      window === undefined ? undefined : remaining.get(window),
    ),
  );
}

function windowIdOf({ id = '', window }: BudgetRule, key: ListedKey): string {
  return budgetWindowId(id, windowAt(window, calendarColumns.parse(key), Date.now()).id);
}
