import { accountOfPayer } from '../keys/key-context.ts';

/** After this time one attempt is let through as a test. */
const RETEST_AFTER_MS = 5_000;
/** A breaker shuts everyone out once this many accounts agree: one alone can cause any response. */
export const MIN_AGREEING = 3;

/** Knows whom an open breaker shuts out: payers whose own attempts failed, or everyone. */
export class BreakerGate {
  /** When a payer that is shut out for its own failures may test again. */
  readonly #retestAtMs = new Map<string, number>();
  /** When any other payer may test; undefined: they are not shut out. */
  #othersRetestAtMs: number | undefined;
  /** Monotonic milliseconds; undefined: it is closed. */
  openedAtMs: number | undefined;

  get isOpen(): boolean {
    return this.#retestAtMs.size > 0 || this.#othersRetestAtMs !== undefined;
  }

  /** Returns true if no payer is admitted, except for tests. */
  get shutsEveryoneOut(): boolean {
    return this.#othersRetestAtMs !== undefined;
  }

  admits(payer: string, nowMs: number): boolean {
    const retestAtMs = this.#retestAtMs.get(payer) ?? this.#othersRetestAtMs;
    return retestAtMs === undefined || nowMs >= retestAtMs;
  }

  /**
   * Shuts out the attempts after an admitted one until its result, or until the next test.
   * @returns true if the admitted attempt is a test
   */
  startTest(payer: string, nowMs: number): boolean {
    return this.#retestAt(payer, nowMs + RETEST_AFTER_MS);
  }

  /** Allows another test at once, because the last one showed nothing. */
  testAgain(payer: string, nowMs: number): void {
    this.#retestAt(payer, nowMs);
  }

  /** Shuts out payers that agree on a failure, and everyone once they are of enough accounts. */
  shutOut(payers: readonly string[], nowMs: number): void {
    // A payer that has not used its test for so long has no failure in the window any more.
    for (const [payer, retestAtMs] of this.#retestAtMs)
      if (retestAtMs <= nowMs - RETEST_AFTER_MS) this.#retestAtMs.delete(payer);
    const accounts = new Set([...this.#retestAtMs.keys()].map(accountOfPayer));
    for (const payer of payers) {
      if (accounts.size >= MIN_AGREEING) break;
      if (!this.#retestAtMs.has(payer)) this.#retestAtMs.set(payer, nowMs + RETEST_AFTER_MS);
      accounts.add(accountOfPayer(payer));
    }
    if (accounts.size >= MIN_AGREEING) this.shutEveryoneOut(nowMs);
    this.openedAtMs = this.isOpen ? (this.openedAtMs ?? nowMs) : undefined;
  }

  shutEveryoneOut(nowMs: number): void {
    this.#othersRetestAtMs ??= nowMs + RETEST_AFTER_MS;
    this.openedAtMs ??= nowMs;
  }

  close(): void {
    this.#retestAtMs.clear();
    this.#othersRetestAtMs = undefined;
    this.openedAtMs = undefined;
  }

  #retestAt(payer: string, ms: number): boolean {
    const isShutOut = this.#retestAtMs.has(payer);
    if (isShutOut) this.#retestAtMs.set(payer, ms);
    else if (this.#othersRetestAtMs !== undefined) this.#othersRetestAtMs = ms;
    return isShutOut || this.#othersRetestAtMs !== undefined;
  }
}
