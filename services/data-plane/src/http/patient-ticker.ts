/** A tick that comes later than this by itself shows that this process was behind. */
const LATE_MS = 50;

/**
 * Ticks while somebody needs it, and says how much time passed by a clock that stands still while this process is too
 * busy to listen: a client, or a queue, must not pay for that.
 */
export class PatientTicker {
  readonly #everyMs: number;
  readonly #onTick: (countedMs: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #tickedAtMs = 0;

  constructor(everyMs: number, onTick: (countedMs: number) => void) {
    this.#everyMs = everyMs;
    this.#onTick = onTick;
  }

  /** Does nothing while it runs. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#tickedAtMs = performance.now();
    this.#timer = setInterval(() => this.#tick(), this.#everyMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    const now = performance.now();
    const countedMs = Math.min(now - this.#tickedAtMs, this.#everyMs + LATE_MS);
    this.#tickedAtMs = now;
    // Timers come before sockets: what has arrived meanwhile is read first.
    setImmediate(() => {
      if (this.#timer !== undefined) this.#onTick(countedMs);
    });
  }
}
