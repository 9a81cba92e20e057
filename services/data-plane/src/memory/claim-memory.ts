import type { Exchange } from '../request-record.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { MemoryClaim } from './memory-claim.ts';

/** Opens an exchange's claim on a budget. It is empty at first, and given back when the exchange ends. */
export function claimMemory({ record, ends }: Exchange, budget: MemoryBudget): MemoryClaim {
  if (record.key === undefined) throw new Error('claimed before authenticated');
  const claim = budget.open(record.key);
  ends.push(() => claim.giveBack());
  return claim;
}
