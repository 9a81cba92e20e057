import { addressGroup, SlotQueue } from '@model-gateway/service-kit';
import { LRUCache } from 'lru-cache';

const MAX_CALLERS = 10_000;

export interface GuardOptions {
  /** Fruitless lookups of one caller in a burst, and per second after that. */
  burst: number;
  refillPerSecond: number;
  /** Parallel lookups of one caller; others queue. */
  slots: ConstructorParameters<typeof SlotQueue>[0];
  /** Returns the name under which a caller counts; left out: as given. */
  groupOf?: (caller: string) => string;
}

/** For unknown keys; a caller is an address. */
export const UNKNOWN_KEYS: GuardOptions = {
  burst: 300,
  refillPerSecond: 10,
  slots: { places: 64, maxWaiting: 512, maxWaitMs: 5_000 },
  groupOf: addressGroup,
};

/** Rate limit headers for a spent budget: one lookup is free after 100 ms, all after 30 s. */
export const SPENT_BUDGET_HEADERS = {
  'x-ratelimit-limit-requests': String(UNKNOWN_KEYS.burst),
  'x-ratelimit-remaining-requests': '0',
  'x-ratelimit-reset-requests': `${1_000 / UNKNOWN_KEYS.refillPerSecond}ms`,
  'ratelimit-policy': `"ip";q=${UNKNOWN_KEYS.burst};w=${UNKNOWN_KEYS.burst / UNKNOWN_KEYS.refillPerSecond}`,
  ratelimit: '"ip";r=0;t=1',
};

interface Budget {
  left: number;
  slots: SlotQueue;
  updatedAtMs: number;
}

/**
 * Limits the parallel and the fruitless lookups of each caller, so that a flood of invented keys with valid
 * checksums, or of invented end users, cannot delay other callers. What is cached needs no lookup.
 */
export class LookupGuard {
  readonly #budgets = new LRUCache<string, Budget>({ max: MAX_CALLERS });
  readonly #options: GuardOptions;
  readonly #now: () => number;

  /** @param now a monotonic clock in milliseconds */
  constructor(options: GuardOptions, now: () => number = () => performance.now()) {
    this.#options = options;
    this.#now = now;
  }

  /**
   * Waits until this caller may start a lookup. Call `end` once after each 'allowed'.
   * @returns 'busy' if too many lookups run for a while, 'spent' if too many found nothing
   */
  async begin(caller: string): Promise<'allowed' | 'busy' | 'spent'> {
    const budget = this.#refilled(caller);
    if (budget.left < 1) return 'spent';
    if (!(await budget.slots.enter())) return 'busy';
    // Earlier lookups may have spent the budget meanwhile.
    if (this.#refilled(caller).left >= 1) return 'allowed';
    budget.slots.leave();
    return 'spent';
  }

  end(caller: string, result: 'found' | 'unknown' | 'failed'): void {
    const budget = this.#refilled(caller);
    if (result === 'unknown') budget.left = Math.max(0, budget.left - 1);
    budget.slots.leave();
  }

  #refilled(caller: string): Budget {
    const { burst, groupOf, refillPerSecond, slots } = this.#options;
    const now = this.#now();
    const group = groupOf === undefined ? caller : groupOf(caller);
    let budget = this.#budgets.get(group);
    if (budget === undefined) {
      budget = { left: burst, slots: new SlotQueue(slots), updatedAtMs: now };
      this.#budgets.set(group, budget);
    }
    budget.left = Math.min(burst, budget.left + ((now - budget.updatedAtMs) / 1_000) * refillPerSecond);
    budget.updatedAtMs = now;
    return budget;
  }
}
