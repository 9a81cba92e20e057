import { GrpcStatus, grpcStatus } from '@model-gateway/contracts';

/** The control plane takes no more in one call. */
const MOST_TOGETHER = 100;
/** While a call is under way, what is asked meanwhile waits for its end, but no longer than this. */
const UNDERWAY_MS = 2;
/** Calls that nobody waits for are collected for this long. */
const UNHURRIED_MS = 20;
/** These errors may be due to one of many. Others, such as an outage, are the same for each of them. */
const OF_ONE = new Set<GrpcStatus | undefined>([GrpcStatus.INTERNAL, GrpcStatus.INVALID_ARGUMENT]);

export interface CallsForManyAndOne<Ask, Answer> {
  /** @returns the answers in the order of what was asked; undefined: left out */
  together(asked: readonly Ask[]): Promise<(Answer | undefined)[]>;
  alone(ask: Ask): Promise<Answer>;
}

interface Waiting<Ask, Answer> {
  ask: Ask;
  resolve: (answer: Answer | Promise<Answer>) => void;
  reject: (error: unknown) => void;
}

/**
 * Asks for many in one call: for those of one turn of the event loop, and for those that come while a call is
 * under way. What is left out of the answer, or fails because of one of them, is asked for alone, so that
 * nobody has to wait for another.
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

  /** @param isHurried true if somebody waits for the answer. @throws what the calls throw */
  ask(ask: Ask, isHurried: boolean): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ ask, resolve, reject });
    if (isHurried) this.hurry();
    else this.#sendIn(UNHURRIED_MS);
    return promise;
  }

  /** To be called when somebody waits for what may have been asked unhurriedly. */
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
    const asked = this.#waiting.splice(0, MOST_TOGETHER);
    this.#isHurried &&= this.#waiting.length > 0;
    if (asked.length === 0) return;
    this.#underway += 1;
    if (this.#waiting.length > 0) this.#sendIn(UNDERWAY_MS);
    void this.#ask(asked).finally(() => {
      this.#underway -= 1;
      if (this.#underway === 0 && this.#isHurried) this.#send();
    });
  }

  /** Ends with the call for all of them, and does not wait for what is asked for alone. */
  async #ask(asked: readonly Waiting<Ask, Answer>[]): Promise<void> {
    try {
      const answers = await this.#calls.together(asked.map(({ ask }) => ask));
      for (const [index, { ask, resolve }] of asked.entries()) {
        resolve(answers[index] ?? this.#calls.alone(ask));
      }
    } catch (error) {
      const status = grpcStatus(error);
      for (const { ask, resolve, reject } of asked) {
        if (OF_ONE.has(status)) resolve(this.#calls.alone(ask));
        else reject(error);
      }
    }
  }
}
