import type { GetBudgetsRequestMessage } from '@model-gateway/contracts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import type { BudgetStore } from './budget-store.ts';

const MAX_WINDOWS = 1_000;

/** Returns what is left in windows of budgets. @throws ControlPlaneError invalid_argument: too many */
export async function getBudgets(
  { budgetStore }: { budgetStore: Pick<BudgetStore, 'states'> },
  { windowIds }: GetBudgetsRequestMessage,
) {
  if (windowIds.length > MAX_WINDOWS)
    throw invalidArgument(
      `a call may name at most ${MAX_WINDOWS} windows of budgets, not ${windowIds.length}`,
    );
  const budgets = await budgetStore.states(windowIds);
  return {
    budgets: budgets.map(({ windowId, limit, spent, reserved, remaining }) => ({
      windowId,
      limit: String(limit),
      spent: String(spent),
      reserved: String(reserved),
      remaining: String(remaining),
    })),
  };
}
