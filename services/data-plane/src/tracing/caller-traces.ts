/**
 * Bounds the traces that are exported only because callers chose them: by the sampled flag, or by the trace
 * id. Otherwise any key could have each of its requests exported.
 */
export class CallerTraces {
  readonly #perSecond: number;
  readonly #taken = new Map<string, number>();
  #secondEndsAtMs = 0;

  /** @param perSecond for each key */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Counts a trace. @returns false if the key has used up its traces of this second */
  take(keyId: string, nowMs: number): boolean {
    if (nowMs >= this.#secondEndsAtMs) {
      this.#secondEndsAtMs = nowMs + 1_000;
      this.#taken.clear();
    }
    const taken = this.#taken.get(keyId) ?? 0;
    if (taken >= this.#perSecond) return false;
    this.#taken.set(keyId, taken + 1);
    return true;
  }
}
