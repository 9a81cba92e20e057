/** The part of AbortSignal that requests use. */
export interface StopSignal {
  readonly aborted: boolean;
  /** Undefined until it is aborted. */
  readonly reason: unknown;
  /** @throws the reason, once it is aborted */
  throwIfAborted(): void;
  /** @param listener called once, and not at all when it is aborted already; must not throw */
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A cheap AbortController for requests. With two listeners, Node's costs 0.3 µs and 350 bytes more. */
export class StopSwitch implements StopSignal {
  readonly signal: StopSignal = this;
  aborted = false;
  reason: unknown;
  #listeners: readonly (() => void)[] = NONE;

  /** Only the first reason counts. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    // One of them may remove another.
    for (let [next] = this.#listeners; next !== undefined; [next] = this.#listeners) {
      this.#listeners = this.#listeners.slice(1);
      next();
    }
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.#listeners = [...this.#listeners, listener];
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    if (this.#listeners.length === 0) return;
    this.#listeners = this.#listeners.filter((other) => other !== listener);
  }
}

const NONE: readonly (() => void)[] = [];
