const WINDOW_MS = 10_000;
const SLOTS = 100;
const SLOT_MS = WINDOW_MS / SLOTS;
/** Retries per request in the window, with a minimum. */
const SHARE = 0.2;
const FLOOR = 10;

type Reason = 'provider' | 'request';

/** Bounds the load that retries add to a failing provider (docs/errors.md, "Retries"). */
export class RetryBudget {
  readonly #now: () => number;
  readonly #requests = new RecentCount();
  /** Separate budgets, so that faulty requests use up no retry of a failing provider. */
  readonly #retries: Record<Reason, Retries> = { provider: new Retries(), request: new Retries() };

  /** @param now monotonic milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  countRequest(): void {
    this.#requests.add(this.#now());
  }

  /**
   * Takes a retry from the budget. Once the budget is used up, a payer still gets its share of it, so that no
   * payer uses it up for the others.
   * @param reason who may have caused the failure
   * @returns true if the budget had one
   */
  takeRetry(payer: string, reason: Reason = 'provider'): boolean {
    const nowMs = this.#now();
    const max = Math.max(FLOOR, Math.floor(this.#requests.countAt(nowMs) * SHARE));
    return this.#retries[reason].take(payer, nowMs, max);
  }
}

/** Counts the requests of the window in slots of 0.1 s: storing a time per request creates garbage. */
class RecentCount {
  readonly #counts = new Uint32Array(SLOTS);
  /** The latest slot, counted from the start of the clock. */
  #slot = 0;
  #sum = 0;

  add(nowMs: number): void {
    const slot = this.#advanceTo(nowMs);
    this.#counts[slot] = (this.#counts[slot] ?? 0) + 1;
    this.#sum++;
  }

  countAt(nowMs: number): number {
    this.#advanceTo(nowMs);
    return this.#sum;
  }

  /** Forgets the slots that are older than the window. @returns the slot of this moment */
  #advanceTo(nowMs: number): number {
    const current = Math.floor(nowMs / SLOT_MS);
    for (let slot = Math.max(this.#slot, current - SLOTS) + 1; slot <= current; slot++) {
      this.#sum -= this.#counts[slot % SLOTS] ?? 0;
      this.#counts[slot % SLOTS] = 0;
    }
    this.#slot = current;
    return current % SLOTS;
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
