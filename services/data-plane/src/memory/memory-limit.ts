import { totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';

/** Upper bound on machines without a limit: more memory would only hold garbage. */
const MAX_BYTES = 4 * 1024 ** 3;

/** Returns the memory that this process may use: the limit of its container, else the machine's memory. */
export function memoryLimitBytes(): number {
  // Zero, or more than any machine has, if there is no limit.
  const constrained = constrainedMemory();
  const limit = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.min(limit, MAX_BYTES);
}
