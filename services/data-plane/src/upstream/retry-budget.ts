const WINDOW_MS = 10_000;
/** The share of the requests in the window. */
const SHARE = 0.2;
const FLOOR = 10;

type Reason = 'provider' | 'request';

/** Bounds what retries may add to what a failing provider gets anyway (docs/errors.md, "Retries"). */
export class RetryBudget {
  readonly #now: () => number;
  #requests: number[] = [];
  /** Counted apart: requests that fail by their own fault take no retry that a failing provider needs. */
  readonly #retries: Record<Reason, number[]> = { provider: [], request: [] };

  /** @param now monotonic milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A request is about to be forwarded for the first time. */
  countRequest(): void {
    this.#requests.push(this.#now());
    // Cut in large steps, so that a request costs a constant time on average.
    if (this.#requests.length > 2_048 && (this.#requests[1_024] ?? 0) < this.#now() - WINDOW_MS) {
      this.#requests = this.#requests.slice(1_024);
    }
  }

  /**
   * @param reason true if the failure speaks against the provider, or the request can have brought it about
   * @returns true if one more retry is within the budget; it then is taken
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
