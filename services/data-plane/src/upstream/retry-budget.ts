const WINDOW_MS = 10_000;
/** Of the requests in the window. */
const SHARE = 0.2;
const FLOOR = 10;

/** Bounds how much retries may add to what a failing provider gets anyway (faults: "provider resets"). */
export class RetryBudget {
  readonly #now: () => number;
  #requests: number[] = [];
  #retries: number[] = [];

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

  /** @returns whether one more retry is within the budget; it then is taken */
  takeRetry(): boolean {
    const since = this.#now() - WINDOW_MS;
    this.#retries = this.#retries.filter((at) => at > since);
    this.#requests = this.#requests.filter((at) => at > since);
    if (this.#retries.length >= Math.max(FLOOR, Math.floor(this.#requests.length * SHARE))) return false;
    this.#retries.push(this.#now());
    return true;
  }
}
