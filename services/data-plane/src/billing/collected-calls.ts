import { GrpcStatus, grpcStatus } from '@model-gateway/contracts';

/** Maximum entries of one call; the control plane rejects more. */
const MAX_BATCH = 100;
/** Requests that arrive during a call wait for its end, at most this long. */
const UNDERWAY_MS = 2;
/** Requests that no caller waits for are batched for this long. */
const UNHURRIED_MS = 20;
/** Errors that one entry of a batch can cause. Others, such as an outage, would hit each entry alike. */
const ERRORS_OF_ONE_ENTRY = new Set<GrpcStatus | undefined>([
  GrpcStatus.INTERNAL,
  GrpcStatus.INVALID_ARGUMENT,
]);

export interface CallsForManyAndOne<Ask, Answer> {
  /** @returns one response per request, in order; undefined where the batch has none */
  together(asked: readonly Ask[]): Promise<(Answer | undefined)[]>;
  alone(ask: Ask): Promise<Answer>;
}

interface Waiting<Ask, Answer> {
  ask: Ask;
  resolve: (answer: Answer | Promise<Answer>) => void;
  reject: (error: unknown) => void;
}

/**
 * Batches requests that arrive in one tick of the event loop, or while a call runs. An entry that the batch
 * response omits, or that may have failed because of another, is sent again by itself.
 */
export class CollectedCalls<Ask, Answer> {
  readonly #calls: CallsForManyAndOne<Ask, Answer>;
  #waiting: Waiting<Ask, Answer>[] = [];
  #isHurried = false;
  #underway = 0;
  #timer: NodeJS.Timeout | undefined;
  #dueAtMs = Number.POSITIVE_INFINITY;

  constructor(calls: CallsForManyAndOne<Ask, Answer>) {
    this.#calls = calls;
  }

  /**
   * Adds a request to the next batch. @param isHurried true if a caller waits for it. @throws what the calls
   * throw
   */
  ask(ask: Ask, isHurried: boolean): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ ask, resolve, reject });
    if (isHurried) this.hurry();
    else this.#sendIn(UNHURRIED_MS);
    return promise;
  }

  /** Call this when a caller waits for a request that was added without hurry. */
  hurry(): void {
    if (this.#waiting.length === 0) return;
    this.#isHurried = true;
    this.#sendIn(this.#underway === 0 ? 0 : UNDERWAY_MS);
  }

  #sendIn(ms: number): void {
    const dueAtMs = performance.now() + ms;
    if (dueAtMs >= this.#dueAtMs) return;
    this.#dueAtMs = dueAtMs;
    clearTimeout(this.#timer);
    if (ms === 0) setImmediate(() => this.#send());
    else this.#timer = setTimeout(() => this.#send(), ms);
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#dueAtMs = Number.POSITIVE_INFINITY;
    const asked = this.#waiting.splice(0, MAX_BATCH);
    this.#isHurried &&= this.#waiting.length > 0;
    if (asked.length === 0) return;
    this.#underway += 1;
    if (this.#waiting.length > 0) this.#sendIn(UNDERWAY_MS);
    void this.#ask(asked).finally(() => {
      this.#underway -= 1;
      if (this.#underway === 0 && this.#isHurried) this.#send();
    });
  }

  /** Resolves after the batch call, without waiting for entries that are sent again alone. */
  async #ask(asked: readonly Waiting<Ask, Answer>[]): Promise<void> {
    try {
      const answers = await this.#calls.together(asked.map(({ ask }) => ask));
      for (const [index, { ask, resolve }] of asked.entries()) {
        resolve(answers[index] ?? this.#calls.alone(ask));
      }
    } catch (error) {
      const status = grpcStatus(error);
      for (const { ask, resolve, reject } of asked) {
        if (ERRORS_OF_ONE_ENTRY.has(status)) resolve(this.#calls.alone(ask));
        else reject(error);
      }
    }
  }
}
