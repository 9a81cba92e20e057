import { addressGroup, SlotQueue } from '@model-gateway/service-kit';
import { LRUCache } from 'lru-cache';

/** Unknown keys that one address may present in a burst, and per second after that. */
const BURST = 300;
export const REFILL_PER_SECOND = 10;
/** Parallel lookups of one address; others queue. */
const LOOKUP_SLOTS = { places: 64, maxWaiting: 512, maxWaitMs: 5_000 };
const MAX_ADDRESSES = 10_000;

/** Rate limit headers for a spent budget: one lookup is free after 100 ms, all after 30 s. */
export const SPENT_BUDGET_HEADERS = {
  'x-ratelimit-limit-requests': String(BURST),
  'x-ratelimit-remaining-requests': '0',
  'x-ratelimit-reset-requests': `${1_000 / REFILL_PER_SECOND}ms`,
  'ratelimit-policy': `"ip";q=${BURST};w=${BURST / REFILL_PER_SECOND}`,
  ratelimit: '"ip";r=0;t=1',
};

interface Budget {
  left: number;
  slots: SlotQueue;
  updatedAtMs: number;
}

/**
 * Limits the parallel and the fruitless lookups of each client address, so that a flood of invented keys with
 * valid checksums cannot delay real ones. Cached keys are not affected.
 */
export class UnknownKeyGuard {
  readonly #budgets = new LRUCache<string, Budget>({ max: MAX_ADDRESSES });
  readonly #now: () => number;

  /** @param now a monotonic clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Waits until this address may start a lookup. Call `end` once after each 'allowed'.
   * @returns 'busy' if too many lookups run for a while, 'spent' if too many found nothing
   */
  async begin(clientIp: string): Promise<'allowed' | 'busy' | 'spent'> {
    const budget = this.#refilled(clientIp);
    if (budget.left < 1) return 'spent';
    if (!(await budget.slots.enter())) return 'busy';
    // Earlier lookups may have spent the budget meanwhile.
    if (this.#refilled(clientIp).left >= 1) return 'allowed';
    budget.slots.leave();
    return 'spent';
  }

  end(clientIp: string, result: 'found' | 'unknown' | 'failed'): void {
    const budget = this.#refilled(clientIp);
    if (result === 'unknown') budget.left = Math.max(0, budget.left - 1);
    budget.slots.leave();
  }

  #refilled(clientIp: string): Budget {
    const now = this.#now();
    const group = addressGroup(clientIp);
    let budget = this.#budgets.get(group);
    if (budget === undefined) {
      budget = { left: BURST, slots: new SlotQueue(LOOKUP_SLOTS), updatedAtMs: now };
      this.#budgets.set(group, budget);
    }
    budget.left = Math.min(BURST, budget.left + ((now - budget.updatedAtMs) / 1_000) * REFILL_PER_SECOND);
    budget.updatedAtMs = now;
    return budget;
  }
}
