import { addressGroup, SlotQueue } from '@model-gateway/service-kit';
import { LRUCache } from 'lru-cache';

/** How many unknown keys one address may present in a burst, and how many more per second after that. */
const BURST = 300;
export const REFILL_PER_SECOND = 10;
/** How many look-ups run at the same time for one address. More wait for a moment. */
const TURNS = { places: 64, maxWaiting: 512, maxWaitMs: 5_000 };
const MAX_ADDRESSES = 10_000;

/** The limit headers where the budget is spent: it is free again after 30 s, one place after 100 ms. */
export const SPENT_BUDGET_HEADERS = {
  'x-ratelimit-limit-requests': String(BURST),
  'x-ratelimit-remaining-requests': '0',
  'x-ratelimit-reset-requests': `${1_000 / REFILL_PER_SECOND}ms`,
  'ratelimit-policy': `"ip";q=${BURST};w=${BURST / REFILL_PER_SECOND}`,
  ratelimit: '"ip";r=0;t=1',
};

interface Budget {
  left: number;
  turns: SlotQueue;
  updatedAtMs: number;
}

/**
 * Limits, per client address, how many look-ups may run and how many may find nothing. So a flood of invented
 * keys with right checksums cannot delay the look-ups of real ones. Cached keys are never affected.
 */
export class UnknownKeyGuard {
  readonly #budgets = new LRUCache<string, Budget>({ max: MAX_ADDRESSES });
  readonly #now: () => number;

  /** @param now a monotonic clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Waits until this address may start another look-up. Each 'allowed' must be followed by one `end`.
   * @returns 'busy' when too many look-ups are running for a while, whatever their keys; 'spent' when too
   *   many have found nothing
   */
  async begin(clientIp: string): Promise<'allowed' | 'busy' | 'spent'> {
    const budget = this.#refilled(clientIp);
    if (budget.left < 1) return 'spent';
    if (!(await budget.turns.enter())) return 'busy';
    // While it waited, earlier look-ups may have used up the budget.
    if (this.#refilled(clientIp).left >= 1) return 'allowed';
    budget.turns.leave();
    return 'spent';
  }

  end(clientIp: string, result: 'found' | 'unknown' | 'failed'): void {
    const budget = this.#refilled(clientIp);
    if (result === 'unknown') budget.left = Math.max(0, budget.left - 1);
    budget.turns.leave();
  }

  #refilled(clientIp: string): Budget {
    const now = this.#now();
    const group = addressGroup(clientIp);
    let budget = this.#budgets.get(group);
    if (budget === undefined) {
      budget = { left: BURST, turns: new SlotQueue(TURNS), updatedAtMs: now };
      this.#budgets.set(group, budget);
    }
    budget.left = Math.min(BURST, budget.left + ((now - budget.updatedAtMs) / 1_000) * REFILL_PER_SECOND);
    budget.updatedAtMs = now;
    return budget;
  }
}
