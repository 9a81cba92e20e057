import { invalidArgument } from '../errors/control-plane-error.ts';

/** One call has the locks of the pools of all its payers until it is committed, so it must be short. */
const MAX_ALLOWANCES = 100;

/** @throws ControlPlaneError invalid_argument: too many for one call, or one of them twice */
export function requireFewDistinct(allowances: readonly { id: string }[]): void {
  const isDistinct = new Set(allowances.map(({ id }) => id)).size === allowances.length;
  if (isDistinct && allowances.length <= MAX_ALLOWANCES) return;
  throw invalidArgument('at most 100 allowances in a call, each of them once');
}
