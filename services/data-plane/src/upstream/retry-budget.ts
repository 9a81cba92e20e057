import { AttemptWindow, secondOf } from './attempt-window.ts';

const WINDOW_MS = 10_000;
/** Retries per request in the window, with a minimum. */
const SHARE = 0.2;
const FLOOR = 10;

type Reason = 'provider' | 'request';

/** Bounds the load that retries add to a failing provider (docs/errors.md, "Retries"). */
export class RetryBudget {
  readonly #now: () => number;
  /** The requests of the last ten seconds, not their attempts. */
  readonly #requests = new AttemptWindow();
  /** Separate budgets, so that faulty requests use up no retry of a failing provider. */
  readonly #retries: Record<Reason, Retries> = { provider: new Retries(), request: new Retries() };

  /** @param now monotonic milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  countRequest(): void {
    this.#requests.add(secondOf(this.#now()), 1, 0);
  }

  /**
   * Takes a retry from the budget. Once the budget is used up, a payer still gets its share of it, so that no
   * payer uses it up for the others.
   * @param reason who may have caused the failure
   * @returns true if the budget had one
   */
  takeRetry(payer: string, reason: Reason = 'provider'): boolean {
    const nowMs = this.#now();
    this.#requests.advance(secondOf(nowMs));
    const max = Math.max(FLOOR, Math.floor(this.#requests.attempts * SHARE));
    return this.#retries[reason].take(payer, nowMs, max);
  }
}

/** The retries of the last ten seconds. */
class Retries {
  readonly #taken: { atMs: number; payer: string }[] = [];
  readonly #byPayer = new Map<string, number>();

  take(payer: string, nowMs: number, max: number): boolean {
    this.#forgetUntil(nowMs - WINDOW_MS);
    const own = this.#byPayer.get(payer) ?? 0;
    const payers = this.#byPayer.size + (own === 0 ? 1 : 0);
    if (this.#taken.length >= max && own >= Math.floor(max / payers)) return false;
    this.#taken.push({ atMs: nowMs, payer });
    this.#byPayer.set(payer, own + 1);
    return true;
  }

  #forgetUntil(ms: number): void {
    let forgotten = 0;
    for (const { atMs, payer } of this.#taken) {
      if (atMs > ms) break;
      forgotten++;
      const left = (this.#byPayer.get(payer) ?? 0) - 1;
      if (left > 0) this.#byPayer.set(payer, left);
      else this.#byPayer.delete(payer);
    }
    this.#taken.splice(0, forgotten);
  }
}
