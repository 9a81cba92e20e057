/**
 * As after the failures of a provider: then one request finds out whether the credential is accepted again.
 */
const RETEST_AFTER_MS = 5_000;
/** Limits of a minute end before that, those of a day are looked at again all the same. */
const MOST_LIMITED_MS = 60_000;
const LEAST_LIMITED_MS = 1_000;

interface Rest {
  sinceMs: number;
  untilMs: number;
  /** When the provider said that its limit ends; undefined: it refused the credential. */
  limitEndsMs: number | undefined;
}

/** Map key for "all models" (a 401). No model has an empty name. */
const EVERY_MODEL = '';

/**
 * When one credential of a provider is left alone, for every model or for one: providers limit, and permit,
 * most things by model. All times are monotonic milliseconds.
 */
export class CredentialRests {
  /** Undefined: there are none, as nearly always. */
  #rests: Map<string, Rest> | undefined;

  /** `due`: it has rested, and one request may find out. */
  stateFor(model: string, nowMs: number): 'free' | 'due' | 'resting' {
    const rest = this.#longest(model);
    if (rest === undefined) return 'free';
    return nowMs < rest.untilMs ? 'resting' : 'due';
  }

  /** Returns the state for all models together: refused or limited for any. */
  state(nowMs: number): 'usable' | 'limited' | 'refused' {
    let isLimited = false;
    for (const { limitEndsMs, untilMs } of this.#rests?.values() ?? []) {
      if (limitEndsMs === undefined) return 'refused';
      isLimited ||= nowMs < untilMs;
    }
    return isLimited ? 'limited' : 'usable';
  }

  /** When it may be asked with again. */
  endsMs(model: string): number {
    return this.#longest(model)?.untilMs ?? Number.NEGATIVE_INFINITY;
  }

  /** When the provider's limit ends; undefined: it is not limited. */
  limitEndsMs(model: string): number | undefined {
    return this.#rests?.get(model)?.limitEndsMs;
  }

  /** A request finds out whether it is accepted again: the others wait for that, or for the next one. */
  test(model: string, nowMs: number): void {
    for (const rest of this.#of(model)) rest.untilMs = Math.max(rest.untilMs, nowMs + RETEST_AFTER_MS);
  }

  /** @param forEvery it is refused for every model */
  refused(model: string, forEvery: boolean, nowMs: number): void {
    const untilMs = nowMs + RETEST_AFTER_MS;
    this.#begin(forEvery ? EVERY_MODEL : model, { sinceMs: nowMs, untilMs, limitEndsMs: undefined });
  }

  /** @param waitMs what the provider advises */
  limited(model: string, waitMs: number, nowMs: number): void {
    const restMs = Math.min(MOST_LIMITED_MS, Math.max(LEAST_LIMITED_MS, waitMs));
    this.#begin(model, { sinceMs: nowMs, untilMs: nowMs + restMs, limitEndsMs: nowMs + waitMs });
  }

  /** @param startedAtMs of the attempt: one from before a rest says nothing about what ended it */
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
