import type { AuthenticatedExchange } from '../request-record.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { MemoryClaim } from './memory-claim.ts';

/** Opens an exchange's claim on a budget. It is empty at first, and given back when the exchange ends. */
export function claimMemory({ record, ends }: AuthenticatedExchange, budget: MemoryBudget): MemoryClaim {
  const claim = budget.open(record.key);
  ends.push(() => claim.giveBack());
  return claim;
}
