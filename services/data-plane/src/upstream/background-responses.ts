import type { EndedResponse } from '@model-gateway/dialects';
import type { Logger } from '@model-gateway/service-kit';
import type { UnfinishedResponse } from './capability-call.ts';
import { type PollContext, type PolledResponse, pollResponse } from './poll-response.ts';

export interface BackgroundTimings {
  /** Interval between polls: initial and maximum. */
  firstMs: number;
  mostMs: number;
  /** A response counts as missing if it stays unknown for this long: some providers store it late. */
  unknownMs: number;
  /** Polling ends after this time. */
  giveUpMs: number;
}

/** Responses may run for tens of minutes. Money must not be reserved much longer. */
const BACKGROUND_TIMINGS: BackgroundTimings = {
  firstMs: 1_000,
  mostMs: 30_000,
  unknownMs: 30_000,
  giveUpMs: 60 * 60_000,
};

/**
 * The end of a followed response: its final state, or that the provider never stored it, has deleted it, or
 * did not report it in time.
 */
export type FollowedEnd = EndedResponse | 'never_stored' | 'deleted' | 'not_learnt';

/**
 * A paid request whose provider still works after the response. It may be followed for long, so it must not
 * keep the body or the connection alive.
 */
export interface FollowedRequest extends PolledResponse {
  requestId: string;
  settle(end: FollowedEnd): void;
}

interface BackgroundContext extends PollContext {
  log: Pick<Logger, 'warn'>;
}

interface Following {
  followed: FollowedRequest;
  /** Ends the pause before the next poll. */
  wake: () => void;
  /** Resolved after each poll. */
  polled: PromiseWithResolvers<void>;
}

/** Polls providers at growing intervals for the usage of responses that run on after the request. */
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

  /** Polls a followed response at once, because it is about to be deleted. */
  async pollNow(unfinished: UnfinishedResponse): Promise<void> {
    const following = this.#following.get(nameOf(unfinished));
    following?.wake();
    await following?.polled.promise;
  }

  /** Settles everything that is still followed, without its end. */
  async close(): Promise<void> {
    this.#stop.abort();
    for (const { wake } of this.#following.values()) wake();
    await Promise.all(this.#running);
  }

  async #follow(followed: FollowedRequest): Promise<void> {
    const name = nameOf(followed.unfinished);
    const following = { followed, wake: () => undefined, polled: Promise.withResolvers<void>() };
    this.#following.set(name, following);
    const end = await this.#end(following).catch((error: unknown) => this.#failed(followed, error));
    if (this.#following.get(name) === following) this.#following.delete(name);
    if (end === 'deleted' || (end === 'not_learnt' && !this.#stop.signal.aborted)) {
      const message = 'the usage of a response that ran on after the request is estimated';
      this.#context.log.warn({ request_id: followed.requestId, end }, message);
    }
    followed.settle(end);
    following.polled.resolve();
  }

  #failed({ requestId }: FollowedRequest, error: unknown): FollowedEnd {
    this.#context.log.warn({ request_id: requestId, error }, 'a response can no longer be followed');
    return 'not_learnt';
  }

  async #end(following: Following): Promise<FollowedEnd> {
    const { firstMs, giveUpMs, mostMs, unknownMs } = this.#timings;
    const untilMs = performance.now() + giveUpMs;
    let wasKnown = false;
    let unknownSinceMs: number | undefined;
    for (let pauseMs = firstMs; performance.now() < untilMs; pauseMs = Math.min(2 * pauseMs, mostMs)) {
      if (!this.#stop.signal.aborted) await pause(following, pauseMs);
      if (this.#stop.signal.aborted) break;
      const state = await pollResponse(this.#context, following.followed, this.#stop.signal);
      if (typeof state === 'object') return state;
      if (state === 'under_way') {
        wasKnown = true;
        unknownSinceMs = undefined;
      } else if (state === 'unknown') {
        unknownSinceMs ??= performance.now();
        if (performance.now() - unknownSinceMs >= unknownMs) return wasKnown ? 'deleted' : 'never_stored';
      }
      following.polled.resolve();
      following.polled = Promise.withResolvers();
    }
    return 'not_learnt';
  }
}

/** Resolves after the time, or on `wake`. */
function pause(following: Following, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    following.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

function nameOf({ providerId, responseId }: UnfinishedResponse): string {
  return JSON.stringify([providerId, responseId]);
}
