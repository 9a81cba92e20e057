const WINDOW_SECONDS = 10;
const FAILING_SHARE = 0.5;

export interface AttemptCounts {
  attempts: number;
  failures: number;
}

/** Counts the attempts and failures of the last ten seconds. Counting allocates nothing. */
export class AttemptWindow {
  /** By second: attempts, then failures. */
  readonly #slots = new Int32Array(2 * WINDOW_SECONDS);
  #second = 0;
  #attempts = 0;
  #failures = 0;

  /** @param second of a monotonic clock; never earlier than the last one */
  add(second: number, attempts: number, failures: number): void {
    this.advance(second);
    const slot = second % WINDOW_SECONDS;
    this.#slots[slot] = (this.#slots[slot] ?? 0) + attempts;
    this.#slots[slot + WINDOW_SECONDS] = (this.#slots[slot + WINDOW_SECONDS] ?? 0) + failures;
    this.#attempts += attempts;
    this.#failures += failures;
  }

  /** Forgets what is older than ten seconds. */
  advance(second: number): void {
    if (second === this.#second) return;
    const oldest = Math.max(this.#second + 1, second - WINDOW_SECONDS + 1);
    for (let gone = oldest; gone <= second; gone++) {
      const slot = gone % WINDOW_SECONDS;
      this.#attempts -= this.#slots[slot] ?? 0;
      this.#failures -= this.#slots[slot + WINDOW_SECONDS] ?? 0;
      this.#slots[slot] = 0;
      this.#slots[slot + WINDOW_SECONDS] = 0;
    }
    this.#second = second;
  }

  clear(): void {
    this.#slots.fill(0);
    this.#attempts = 0;
    this.#failures = 0;
  }

  get attempts(): number {
    return this.#attempts;
  }

  get failures(): number {
    return this.#failures;
  }

  get isEmpty(): boolean {
    return this.#attempts === 0 && this.#failures === 0;
  }

  get isFailing(): boolean {
    return isFailing(this);
  }
}

/** Returns true if at least half of the attempts failed. */
export function isFailing({ attempts, failures }: AttemptCounts): boolean {
  return failures > 0 && failures >= attempts * FAILING_SHARE;
}

export function secondOf(nowMs: number): number {
  return Math.floor(nowMs / 1_000);
}

/** Returns true if an attempt that was counted then still counts now. */
export function isInWindow(thenMs: number, nowMs: number): boolean {
  return secondOf(thenMs) > secondOf(nowMs) - WINDOW_SECONDS;
}
