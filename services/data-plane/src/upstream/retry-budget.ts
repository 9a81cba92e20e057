const WINDOW_MS = 10_000;
/** Retries per request in the window, with a minimum. */
const SHARE = 0.2;
const FLOOR = 10;

type Reason = 'provider' | 'request';

interface Retry {
  atMs: number;
  payer: string;
}

/** Bounds the load that retries add to a failing provider (docs/errors.md, "Retries"). */
export class RetryBudget {
  readonly #now: () => number;
  #requests: number[] = [];
  /** Separate budgets, so that faulty requests use up no retry of a failing provider. */
  readonly #retries: Record<Reason, Retry[]> = { provider: [], request: [] };

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
   * Takes a retry from the budget. Once the budget is used up, a payer still gets its share of it, so that no
   * payer uses it up for the others.
   * @param reason who may have caused the failure
   * @returns true if the budget had one
   */
  takeRetry(payer: string, reason: Reason = 'provider'): boolean {
    const since = this.#now() - WINDOW_MS;
    const retries = this.#retries[reason].filter(({ atMs }) => atMs > since);
    this.#retries[reason] = retries;
    this.#requests = this.#requests.filter((at) => at > since);
    const max = Math.max(FLOOR, Math.floor(this.#requests.length * SHARE));
    if (retries.length >= max && !isBelowShare(retries, payer, max)) return false;
    retries.push({ atMs: this.#now(), payer });
    return true;
  }
}

function isBelowShare(retries: readonly Retry[], payer: string, max: number): boolean {
  const payers = new Set(retries.map((retry) => retry.payer)).add(payer);
  const own = retries.filter((retry) => retry.payer === payer).length;
  return own < Math.floor(max / payers.size);
}
