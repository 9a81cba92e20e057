import type { MemoryBudget, MemoryClaim } from './memory-budget.ts';
import type { MemoryOwner } from './shared-room.ts';

/** An authenticated exchange: its key owns the memory. */
interface Claimant {
  record: { key: MemoryOwner };
  ends: (() => void)[];
}

/** Opens an exchange's empty claim on a budget. It is released when the exchange ends. */
export function claimMemory({ record, ends }: Claimant, budget: MemoryBudget): MemoryClaim {
  const claim = budget.open(record.key);
  ends.push(() => claim.giveBack());
  return claim;
}
