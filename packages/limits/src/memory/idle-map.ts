/**
 * A map that drops idle entries, so that its size follows the traffic and not the number of clients ever
 * seen. Entries are ordered by their last touch, so dropping visits only the entries that it drops.
 */
export class IdleMap<Value> {
  readonly #entries = new Map<string, { value: Value; touchedAt: number }>();
  readonly #idleAfter: number;
  readonly #maxEntries: number;

  /**
   * @param idleAfter in the unit of the times passed in
   * @param maxEntries when there are more, the entry that was touched longest ago is dropped, whatever it
   *   holds
   */
  constructor(idleAfter: number, maxEntries: number) {
    this.#idleAfter = idleAfter;
    this.#maxEntries = maxEntries;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  touch(key: string, value: Value, now: number): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, touchedAt: now });
    if (this.#entries.size > this.#maxEntries) this.#dropFirst();
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  dropIdle(now: number): void {
    for (const [key, { touchedAt }] of this.#entries) {
      if (touchedAt > now - this.#idleAfter) return;
      this.#entries.delete(key);
    }
  }

  #dropFirst(): void {
    for (const key of this.#entries.keys()) {
      this.#entries.delete(key);
      return;
    }
  }
}
