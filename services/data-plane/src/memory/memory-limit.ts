import { totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';

/** Where nothing bounds this process, it behaves as if this did: more would only be garbage. */
const MOST_BYTES = 4 * 1024 ** 3;

/** What this process may take in all: the limit of its container, else the memory of the machine. */
export function memoryLimitBytes(): number {
  // Zero, or more than any machine has, where there is no limit.
  const constrained = constrainedMemory();
  const limit = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.min(limit, MOST_BYTES);
}
