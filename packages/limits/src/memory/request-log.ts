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

  /** Returns the times of acceptance, oldest first. */
  times(): Iterable<number> {
    return this.#acceptedAt.values();
  }
}
