import { verdictOf } from '@model-gateway/dialects';
import { GatewayError } from '@model-gateway/shared';

const WINDOW_SECONDS = 10;
const FAILING_SHARE = 0.5;
/** Below this, a few unlucky attempts could shut a provider out. */
const MIN_ATTEMPTS = 20;
/** After this time one attempt is let through as a test. */
const RETEST_AFTER_MS = 5_000;

/** Thrown without calling a provider whose breaker is open. */
export class BreakerOpen extends Error {
  override readonly name = 'BreakerOpen';

  /** The last failure, if the provider refused our credential: callers should not retry then. */
  readonly refusal: GatewayError | undefined;

  constructor(providerId: string, refusal: GatewayError | undefined) {
    super(`the provider ${providerId} has failed too often just now`);
    this.refusal = refusal;
  }
}

/**
 * Circuit breakers by provider. One opens when half of 20 attempts in 10 s failed (docs/errors.md,
 * "Retries").
 */
export class ProviderBreakers {
  readonly #breakers = new Map<string, Breaker>();
  readonly #minAttempts: number;
  readonly #now: () => number;

  /** @param now monotonic milliseconds */
  constructor(minAttempts = MIN_ATTEMPTS, now: () => number = () => performance.now()) {
    this.#minAttempts = minAttempts;
    this.#now = now;
  }

  /**
   * Runs an attempt and counts its response as soon as it arrives, and its failure. If only ended attempts
   * counted, a few failures would outweigh thousands of open streams.
   * @throws what the attempt throws, or BreakerOpen at once
   */
  async run<Result>(providerId: string, attempt: (answered: () => void) => Promise<Result>): Promise<Result> {
    let breaker = this.#breakers.get(providerId);
    if (breaker === undefined) {
      breaker = new Breaker(this.#minAttempts);
      this.#breakers.set(providerId, breaker);
    }
    const isRetest = breaker.isOpen;
    if (!breaker.mayTry(this.#now())) throw new BreakerOpen(providerId, breaker.refusal);
    let countedAtMs: number | undefined;
    const answered = () => {
      // While the breaker is open, only whole responses close it.
      if (countedAtMs !== undefined || breaker.isOpen) return;
      countedAtMs = this.#now();
      breaker.count(countedAtMs, 'answered');
    };
    try {
      const result = await attempt(answered);
      if (countedAtMs === undefined) breaker.count(this.#now(), 'answered');
      return result;
    } catch (error) {
      const nowMs = this.#now();
      const verdict = verdictOf(error);
      const isFault = verdict.breaker === 'failed';
      if (isFault) breaker.refusal = refusalIn(error);
      // A client that left, or broke off its upload, says nothing about the provider.
      if (countedAtMs === undefined && verdict.breaker !== undefined) breaker.count(nowMs, verdict.breaker);
      else if (countedAtMs === undefined && isRetest) breaker.retestAgain(nowMs);
      else if (countedAtMs !== undefined && isFault)
        breaker.count(nowMs, isInWindow(countedAtMs, nowMs) ? 'failed after all' : 'failed');
      throw error;
    }
  }

  isOpen(providerId: string): boolean {
    return this.#breakers.get(providerId)?.isOpen ?? false;
  }

  /** Forgets providers that the catalog no longer has. */
  keepOnly(providerIds: ReadonlyMap<string, unknown>): void {
    for (const id of this.#breakers.keys()) if (!providerIds.has(id)) this.#breakers.delete(id);
  }
}

function refusalIn(error: unknown): GatewayError | undefined {
  return error instanceof GatewayError && error.verdict?.credential === 'refused' ? error : undefined;
}

/** `failed after all`: the attempt failed after it was counted as answered in the same window. */
type Count = 'answered' | 'failed' | 'failed after all';

function isInWindow(thenMs: number, nowMs: number): boolean {
  return Math.floor(thenMs / 1_000) > Math.floor(nowMs / 1_000) - WINDOW_SECONDS;
}

class Breaker {
  readonly #minAttempts: number;
  /** Attempts and failures of each of the last seconds. */
  #seconds: { second: number; attempts: number; failures: number }[] = [];
  #retestAtMs: number | undefined;
  refusal: GatewayError | undefined;

  constructor(minAttempts: number) {
    this.#minAttempts = minAttempts;
  }

  get isOpen(): boolean {
    return this.#retestAtMs !== undefined;
  }

  mayTry(nowMs: number): boolean {
    if (this.#retestAtMs === undefined) return true;
    if (nowMs < this.#retestAtMs) return false;
    // This attempt is the test; the others wait for it, or for the next.
    this.#retestAtMs = nowMs + RETEST_AFTER_MS;
    return true;
  }

  /** Allows another test at once, because the last one showed nothing. */
  retestAgain(nowMs: number): void {
    if (this.#retestAtMs !== undefined) this.#retestAtMs = nowMs;
  }

  count(nowMs: number, what: Count): void {
    const failed = what !== 'answered';
    if (this.#retestAtMs !== undefined) {
      if (!failed) this.#close();
      return;
    }
    const second = Math.floor(nowMs / 1_000);
    this.#seconds = this.#seconds.filter((entry) => entry.second > second - WINDOW_SECONDS);
    let current = this.#seconds.at(-1);
    if (current?.second !== second) {
      current = { second, attempts: 0, failures: 0 };
      this.#seconds.push(current);
    }
    if (what !== 'failed after all') current.attempts++;
    if (failed) current.failures++;
    let attempts = 0;
    let failures = 0;
    for (const entry of this.#seconds) {
      attempts += entry.attempts;
      failures += entry.failures;
    }
    if (failed && attempts >= this.#minAttempts && failures >= attempts * FAILING_SHARE) {
      this.#retestAtMs = nowMs + RETEST_AFTER_MS;
    }
  }

  #close(): void {
    this.#retestAtMs = undefined;
    this.#seconds = [];
  }
}
