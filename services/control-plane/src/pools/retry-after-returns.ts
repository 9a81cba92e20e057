import type { Recall } from '../billing/allowance-store.ts';
import type { ReturnsWait } from '../billing/returns-wait.ts';

/** Time for data planes to return unused money. */
export const RETURNS_MS = 1_500;
/** Requests may use returned money first, so there are several rounds. */
const MAX_ROUNDS = 3;

/** Repeats a change that recalls unused money, as long as data planes return it in time. */
export async function retryAfterReturns<Outcome extends { recalls: readonly Recall[] }>(
  returnsWait: Pick<ReturnsWait, 'forReplies'>,
  change: () => Promise<Outcome>,
): Promise<Outcome> {
  for (let round = 1; ; round++) {
    const outcome = await change();
    const { recalls } = outcome;
    const isLast = recalls.length === 0 || round === MAX_ROUNDS;
    if (isLast || !(await returnsWait.forReplies(recalls, RETURNS_MS))) return outcome;
  }
}
