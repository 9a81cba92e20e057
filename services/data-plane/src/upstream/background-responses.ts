import type { EndedResponse } from '@model-gateway/dialects';
import type { Logger } from '@model-gateway/service-kit';
import { type AskContext, type AskedAbout, askAboutResponse } from './ask-about-response.ts';
import type { WorkedOn } from './capability-call.ts';

export interface BackgroundTimings {
  /** From one question to the next: at first, and at most. */
  firstMs: number;
  mostMs: number;
  /** So long a provider must say that it has no such response: some write down late what they keep. */
  unknownMs: number;
  /** After so long what a response has used is not asked any more. */
  giveUpMs: number;
}

/**
 * Providers let a response run for tens of minutes; money that is set aside for longer is missed elsewhere.
 */
const BACKGROUND_TIMINGS: BackgroundTimings = {
  firstMs: 1_000,
  mostMs: 30_000,
  unknownMs: 30_000,
  giveUpMs: 60 * 60_000,
};

/**
 * The end of a followed response: the provider's answer; that the provider never had it or no longer has it;
 * or that nobody learnt it in time.
 */
export type FollowedEnd = EndedResponse | 'never_kept' | 'deleted' | 'not_learnt';

/**
 * A paid request that was answered while its provider works on. It may be followed for long: nothing of it
 * here holds on to its body, or to its connection.
 */
export interface FollowedRequest extends AskedAbout {
  requestId: string;
  /** Called once. */
  settle(end: FollowedEnd): void;
}

interface BackgroundContext extends AskContext {
  log: Pick<Logger, 'warn'>;
}

interface Following {
  followed: FollowedRequest;
  /** Ends the pause before the next question. */
  wake: () => void;
  /** Resolved after each question. */
  asked: PromiseWithResolvers<void>;
}

/**
 * Learns from providers what responses have used that run on after the answer: they are asked, less and less
 * often, until the response has ended.
 */
export class BackgroundResponses {
  readonly #context: BackgroundContext;
  readonly #timings: BackgroundTimings;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #following = new Map<string, Following>();

  constructor(context: BackgroundContext, timings: BackgroundTimings = BACKGROUND_TIMINGS) {
    this.#context = context;
    this.#timings = timings;
  }

  follow(followed: FollowedRequest): void {
    const running = this.#follow(followed).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /**
   * Resolves when the provider was asked about a response that is followed here: it is about to be deleted.
   */
  async askNow(workedOn: WorkedOn): Promise<void> {
    const following = this.#following.get(nameOf(workedOn));
    following?.wake();
    await following?.asked.promise;
  }

  /** Ends all that is still followed: this process will not learn more. */
  async close(): Promise<void> {
    this.#stop.abort();
    for (const { wake } of this.#following.values()) wake();
    await Promise.all(this.#running);
  }

  async #follow(followed: FollowedRequest): Promise<void> {
    const name = nameOf(followed.workedOn);
    const following = { followed, wake: () => undefined, asked: Promise.withResolvers<void>() };
    this.#following.set(name, following);
    const end = await this.#end(following);
    if (this.#following.get(name) === following) this.#following.delete(name);
    if (end === 'deleted' || (end === 'not_learnt' && !this.#stop.signal.aborted)) {
      const message = 'what a response used after its answer is estimated';
      this.#context.log.warn({ request_id: followed.requestId, end }, message);
    }
    followed.settle(end);
    following.asked.resolve();
  }

  async #end(following: Following): Promise<FollowedEnd> {
    const { firstMs, giveUpMs, mostMs, unknownMs } = this.#timings;
    const untilMs = performance.now() + giveUpMs;
    let wasKnown = false;
    let unknownSinceMs: number | undefined;
    for (let pauseMs = firstMs; performance.now() < untilMs; pauseMs = Math.min(2 * pauseMs, mostMs)) {
      if (!this.#stop.signal.aborted) await pause(following, pauseMs);
      if (this.#stop.signal.aborted) break;
      const state = await askAboutResponse(this.#context, following.followed, this.#stop.signal);
      if (typeof state === 'object') return state;
      if (state === 'under_way') {
        wasKnown = true;
        unknownSinceMs = undefined;
      } else if (state === 'unknown') {
        unknownSinceMs ??= performance.now();
        if (performance.now() - unknownSinceMs >= unknownMs) return wasKnown ? 'deleted' : 'never_kept';
      }
      following.asked.resolve();
      following.asked = Promise.withResolvers();
    }
    return 'not_learnt';
  }
}

/** Resolves after so many milliseconds, or when it is woken. */
function pause(following: Following, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    following.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

function nameOf({ providerId, responseId }: WorkedOn): string {
  return JSON.stringify([providerId, responseId]);
}
