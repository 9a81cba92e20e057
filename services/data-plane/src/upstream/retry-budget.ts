const WINDOW_MS = 10_000;
/** Retries per request in the window, with a minimum. */
const SHARE = 0.2;
const FLOOR = 10;

type Reason = 'provider' | 'request';

/** Bounds the load that retries add to a failing provider (docs/errors.md, "Retries"). */
export class RetryBudget {
  readonly #now: () => number;
  #requests: number[] = [];
  /** Separate budgets, so that faulty requests use up no retry of a failing provider. */
  readonly #retries: Record<Reason, number[]> = { provider: [], request: [] };

  /** @param now monotonic milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  countRequest(): void {
    this.#requests.push(this.#now());
    // Trim in large steps, so that a request costs constant time on average.
    if (this.#requests.length > 2_048 && (this.#requests[1_024] ?? 0) < this.#now() - WINDOW_MS) {
      this.#requests = this.#requests.slice(1_024);
    }
  }

  /**
   * Takes a retry from the budget.
   * @param reason who may have caused the failure
   * @returns true if the budget had one
   */
  takeRetry(reason: Reason = 'provider'): boolean {
    const since = this.#now() - WINDOW_MS;
    const retries = this.#retries[reason].filter((at) => at > since);
    this.#retries[reason] = retries;
    this.#requests = this.#requests.filter((at) => at > since);
    if (retries.length >= Math.max(FLOOR, Math.floor(this.#requests.length * SHARE))) return false;
    retries.push(this.#now());
    return true;
  }
}
