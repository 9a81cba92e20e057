/** Failed calls in a row until Redis counts as down. */
const FAILURES_TO_OPEN = 5;
const PROBE_INTERVAL_MS = 1_000;

export interface CircuitBreakerOptions {
  /** Sends a command that rejects while the store is down. */
  probe: () => Promise<unknown>;
  onChange?: ((isClosed: boolean) => void) | undefined;
  probeIntervalMs?: number | undefined;
}

/** Is closed while the store answers. While open, it sends one probe a second; a successful one closes it. */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #isProbing = false;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#timer === undefined;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  failed(): void {
    this.#failures += 1;
    if (this.#failures < FAILURES_TO_OPEN || !this.isClosed || this.#isStopped) return;
    this.#timer = setInterval(() => void this.#probe(), this.#options.probeIntervalMs ?? PROBE_INTERVAL_MS);
    this.#timer.unref();
    this.#options.onChange?.(false);
  }

  /** Ends the probes for good. */
  stop(): void {
    this.#isStopped = true;
    this.#close();
  }

  #close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#failures = 0;
  }

  async #probe(): Promise<void> {
    // A second probe would only slow down a slow store.
    if (this.#isProbing) return;
    this.#isProbing = true;
    try {
      await this.#options.probe();
    } catch {
      return;
    } finally {
      this.#isProbing = false;
    }
    if (this.isClosed) return;
    this.#close();
    this.#options.onChange?.(true);
  }
}
