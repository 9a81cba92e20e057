/** The accepted requests of one bucket within the window, in the order in which they were accepted. */
export class RequestLog {
  readonly #acceptedAt = new Map<string, number>();
  readonly #windowMicros: number;

  constructor(windowMicros: number) {
    this.#windowMicros = windowMicros;
  }

  get count(): number {
    return this.#acceptedAt.size;
  }

  has(requestId: string): boolean {
    return this.#acceptedAt.has(requestId);
  }

  add(requestId: string, now: number): void {
    if (!this.has(requestId)) this.#acceptedAt.set(requestId, now);
  }

  dropExpired(now: number): void {
    for (const [requestId, acceptedAt] of this.#acceptedAt) {
      if (acceptedAt > now - this.#windowMicros) return;
      this.#acceptedAt.delete(requestId);
    }
  }

  /** Milliseconds until a place is free, rounded up; 0 when nothing is used. */
  millisecondsUntilFree(limit: number, now: number): number {
    if (limit <= 0) return Math.ceil(this.#windowMicros / 1_000);
    // The oldest entry is not always enough: after a limit was lowered, several must leave.
    let leaving = Math.max(0, this.count - limit);
    for (const acceptedAt of this.#acceptedAt.values()) {
      if (leaving === 0) return Math.ceil((acceptedAt + this.#windowMicros - now) / 1_000);
      leaving -= 1;
    }
    return 0;
  }
}
