import { totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';

/** Without a limit, this process behaves as if this were its limit: more memory would only hold garbage. */
const MOST_BYTES = 4 * 1024 ** 3;

/** How much memory this process may take: the limit of its container, else the memory of the machine. */
export function memoryLimitBytes(): number {
  // Without a limit it is zero, or more than any machine has.
  const constrained = constrainedMemory();
  const limit = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.min(limit, MOST_BYTES);
}
