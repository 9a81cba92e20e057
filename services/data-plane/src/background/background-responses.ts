import type { Logger } from '@model-gateway/service-kit';
import { tooManyUnfinishedResponses } from '@model-gateway/shared/errors';
import { Shares } from '../memory/shares.ts';
import type { FollowedEnd, FollowedResponse } from '../settlement/followed-response.ts';
import type { DeletedResponses } from './deleted-responses.ts';
import { type PollContext, type PolledResponse, pollResponse } from './poll-response.ts';

export interface BackgroundTimings {
  /** Interval between polls: initial and maximum. */
  firstMs: number;
  maxMs: number;
  /** A response counts as missing if it stays unknown for this long: some providers store it late. */
  unknownMs: number;
  /** Polling ends after this time. */
  giveUpMs: number;
  /** Interval between renewals of the claims on responses of other data planes. */
  adoptMs: number;
}

/** Responses may run for tens of minutes. Money must not be reserved much longer. */
export const BACKGROUND_TIMINGS: BackgroundTimings = {
  firstMs: 1_000,
  maxMs: 30_000,
  unknownMs: 30_000,
  giveUpMs: 60 * 60_000,
  adoptMs: 5_000,
};

/** Maximum responses of a key that one process follows. */
const MAX_PER_KEY = 100;

/**
 * A paid request whose provider still works after the response. It may be followed for long, so it must not
 * keep the body or the connection alive.
 */
export interface FollowedRequest extends PolledResponse {
  requestId: string;
  response: FollowedResponse;
  settle(end: FollowedEnd): void;
  /** Leaves the response to another data plane. */
  handOver(): void;
}

interface BackgroundContext extends PollContext {
  deletedResponses: Pick<DeletedResponses, 'find'>;
  log: Pick<Logger, 'warn' | 'error'>;
}

/** Polls providers at growing intervals for the usage of responses that run on after the request. */
export class BackgroundResponses {
  readonly #context: BackgroundContext;
  readonly #timings: BackgroundTimings;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  /** Followed responses by key. */
  readonly #shares = new Shares(MAX_PER_KEY);

  constructor(context: BackgroundContext, timings: BackgroundTimings = BACKGROUND_TIMINGS) {
    this.#context = context;
    this.#timings = timings;
  }

  /** @throws GatewayError 429 if too many responses of this key are followed */
  requireSpace(keyId: string): void {
    if (!this.#shares.fits(keyId, 1)) throw tooManyUnfinishedResponses(MAX_PER_KEY);
  }

  follow(followed: FollowedRequest): void {
    const running = this.#follow(followed)
      .catch((error: unknown) => {
        this.#context.log.error(
          { error, request_id: followed.requestId },
          'cannot settle a followed response',
        );
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Hands over everything that is still followed. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  async #follow(followed: FollowedRequest): Promise<void> {
    const { owner, requestId } = followed;
    this.#shares.take(owner.keyId, 1);
    const end = await this.#pollToEnd(followed).catch((error: unknown) => this.#failed(followed, error));
    this.#shares.giveBack(owner.keyId, 1);
    if (end === undefined) {
      followed.handOver();
      return;
    }
    if (end === 'deleted' || end === 'not_ended' || end === 'not_learnt') {
      const message = 'the usage of a response that ran on after the request is estimated';
      this.#context.log.warn({ request_id: requestId, end }, message);
    }
    followed.settle(end);
  }

  #failed({ requestId }: FollowedRequest, error: unknown): FollowedEnd {
    this.#context.log.warn({ request_id: requestId, error }, 'a response can no longer be followed');
    return 'not_learnt';
  }

  /** Polls at least once. @returns undefined if this process stops first */
  async #pollToEnd(followed: FollowedRequest): Promise<FollowedEnd | undefined> {
    const { firstMs, giveUpMs, maxMs, unknownMs } = this.#timings;
    const { response } = followed;
    const untilMs = performance.now() + giveUpMs - (Date.now() - response.sinceMs);
    let wasKnown = false;
    let unknownSinceMs: number | undefined;
    for (let pauseMs = firstMs; ; pauseMs = Math.min(2 * pauseMs, maxMs)) {
      await this.#pause(pauseMs);
      const state = await this.#poll(followed);
      if (this.#stop.signal.aborted) return undefined;
      if (typeof state === 'object' || state === 'deleted') return state;
      if (state === 'under_way') {
        wasKnown = true;
        unknownSinceMs = undefined;
      } else if (state === 'unknown') {
        unknownSinceMs ??= performance.now();
        if (performance.now() - unknownSinceMs >= unknownMs) return wasKnown ? 'deleted' : 'never_stored';
      }
      if (performance.now() >= untilMs) return state === 'under_way' ? 'not_ended' : 'not_learnt';
    }
  }

  /** Asks the provider, and if it does not know the response, the control plane. */
  async #poll(followed: FollowedRequest) {
    const state = await pollResponse(this.#context, followed, this.#stop.signal);
    if (state !== 'unknown') return state;
    try {
      return (await this.#context.deletedResponses.find(followed.response)) ?? state;
    } catch (error) {
      const { requestId } = followed;
      this.#context.log.warn(
        { error, request_id: requestId },
        'cannot learn if a stored response was deleted',
      );
      return 'silent';
    }
  }

  /** Resolves after the time, or when this process stops. */
  #pause(milliseconds: number): Promise<void> {
    const { signal } = this.#stop;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      signal.addEventListener('abort', end);
    });
  }
}
