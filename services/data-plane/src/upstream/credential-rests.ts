/**
 * A refused credential is tried again by one request after this time, like a provider with an open breaker.
 */
const RETEST_AFTER_MS = 5_000;
/** Upper bound: per-minute limits end before, and daily limits are tested again. */
const MAX_LIMITED_MS = 60_000;
const MIN_LIMITED_MS = 1_000;

interface Rest {
  sinceMs: number;
  untilMs: number;
  /** When the provider's limit ends; undefined: it refused the credential. */
  limitEndsMs: number | undefined;
}

/** Map key for "all models" (a 401). No model has an empty name. */
const EVERY_MODEL = '';

/**
 * Tracks when one credential rests, per model or for all models: providers limit and permit most things per
 * model. All times are monotonic milliseconds.
 */
export class CredentialRests {
  /** Undefined without any rest, as nearly always. */
  #rests: Map<string, Rest> | undefined;

  /** Returns `due` when the rest is over and one request may test the credential. */
  stateFor(model: string, nowMs: number): 'free' | 'due' | 'resting' {
    const rest = this.#longest(model);
    if (rest === undefined) return 'free';
    return nowMs < rest.untilMs ? 'resting' : 'due';
  }

  /** Returns the state over all models: refused or limited for any. */
  state(nowMs: number): 'usable' | 'limited' | 'refused' {
    let isLimited = false;
    for (const { limitEndsMs, untilMs } of this.#rests?.values() ?? []) {
      if (limitEndsMs === undefined) return 'refused';
      isLimited ||= nowMs < untilMs;
    }
    return isLimited ? 'limited' : 'usable';
  }

  /** Returns when the credential may be used again. */
  endsMs(model: string): number {
    return this.#longest(model)?.untilMs ?? Number.NEGATIVE_INFINITY;
  }

  /** Returns when the provider's limit ends; undefined if it is not limited. */
  limitEndsMs(model: string): number | undefined {
    return this.#rests?.get(model)?.limitEndsMs;
  }

  /** Marks that one request tests the credential: the others wait for its result, or for the next test. */
  test(model: string, nowMs: number): void {
    for (const rest of this.#of(model)) rest.untilMs = Math.max(rest.untilMs, nowMs + RETEST_AFTER_MS);
  }

  /** Rests a refused credential. @param forEvery true if it is refused for every model */
  refused(model: string, forEvery: boolean, nowMs: number): void {
    const untilMs = nowMs + RETEST_AFTER_MS;
    this.#begin(forEvery ? EVERY_MODEL : model, { sinceMs: nowMs, untilMs, limitEndsMs: undefined });
  }

  /** Rests a limited credential. @param waitMs the provider's Retry-After */
  limited(model: string, waitMs: number, nowMs: number): void {
    const restMs = Math.min(MAX_LIMITED_MS, Math.max(MIN_LIMITED_MS, waitMs));
    this.#begin(model, { sinceMs: nowMs, untilMs: nowMs + restMs, limitEndsMs: nowMs + waitMs });
  }

  /**
   * Ends the rests. @param startedAtMs of the accepted attempt; an attempt from before a rest does not end it
   */
  accepted(model: string, startedAtMs: number): void {
    for (const name of [EVERY_MODEL, model]) {
      const rest = this.#rests?.get(name);
      if (rest !== undefined && rest.sinceMs <= startedAtMs) this.#rests?.delete(name);
    }
    if (this.#rests?.size === 0) this.#rests = undefined;
  }

  #begin(name: string, rest: Rest): void {
    this.#rests ??= new Map();
    this.#rests.set(name, rest);
  }

  #longest(model: string): Rest | undefined {
    if (this.#rests === undefined) return undefined;
    const [first, second] = this.#of(model);
    return second !== undefined && first !== undefined && second.untilMs > first.untilMs ? second : first;
  }

  #of(model: string): Rest[] {
    return [EVERY_MODEL, model].flatMap((name) => this.#rests?.get(name) ?? []);
  }
}
