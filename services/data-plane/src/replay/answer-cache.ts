import { createHmac } from 'node:crypto';
import { ALL_VALUES, type PurgeableValues } from '@model-gateway/limits';
import { SlotQueue } from '@model-gateway/service-kit';
import { cacheUnavailable } from '@model-gateway/shared/errors';
import type { ResponseCipher } from '../stored-responses/response-cipher.ts';
import { MAX_RECORDED_BYTES } from './answer-recording.ts';
import { type AnswerHead, packAnswer, type RememberedAnswer, unpackAnswer } from './remembered-answer.ts';
import type { ReplayMetrics } from './replay-metrics.ts';
import { type FingerprintedBody, fingerprint } from './request-fingerprint.ts';

export interface AnswerCacheOptions {
  values: PurgeableValues;
  cipher: ResponseCipher;
  /** Key of the fingerprints: nobody who reads Redis can guess a request. */
  key: Buffer;
  metrics: ReplayMetrics;
}

/** Selects the answers to purge. */
export type Purged =
  | { all: true }
  | { cacheKey: string }
  | { kind: 'model' | 'api_key' | 'tag'; names: readonly string[] };

/** Has room for the head and the seal of a stored answer. */
const MAX_READ_BYTES = MAX_RECORDED_BYTES + 64 * 1024;
/** A read claims memory only once it knows the length of the answer, so few reads run in parallel. */
const READS = { places: 8, maxWaiting: 1_000, maxWaitMs: 1_000 };
export const CACHE_KEY = /^[\w-]{43}$/;

/** Stores cached answers in Redis, encrypted. An account reads only its own. */
export class AnswerCache {
  readonly #options: AnswerCacheOptions;
  readonly #reads = new SlotQueue(READS);
  /** Requests of this process that will write, by the name of their value. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor(options: AnswerCacheOptions) {
    this.#options = options;
  }

  /** Returns the key of a request: equal requests of an account have the same one. */
  keyOf(scope: readonly string[], body: FingerprintedBody): string {
    return fingerprint(this.#options.key, scope, body);
  }

  /**
   * @param takesAnswer false: only the time is read
   * @returns the answer, unless there is none or it was purged, and the time of the store; undefined: Redis
   *   does not respond
   */
  async read(
    accountId: string,
    cacheKey: string,
    takesAnswer: boolean,
  ): Promise<{ answer: RememberedAnswer | undefined; nowMs: number } | undefined> {
    const { cipher, values } = this.#options;
    const name = values.nameOf(accountId, cacheKey);
    const maxBytes = takesAnswer ? MAX_READ_BYTES : 0;
    if (!(await this.#reads.enter())) return undefined;
    try {
      const { nowMs, purges, value } = await values.readUnpurged(accountId, name, maxBytes);
      const opened = value && cipher.of(accountId).open(value, name);
      const answer = opened && unpackAnswer(opened);
      const isPurged = answer !== undefined && this.#isPurged(answer, purges);
      return { answer: isPurged ? undefined : answer, nowMs };
    } catch {
      return undefined;
    } finally {
      this.#reads.leave();
    }
  }

  /** Stores an answer. Never throws. */
  async write(
    { accountId, requestId }: { accountId: string; requestId: string },
    cacheKey: string,
    { head, body, ttlS }: { head: AnswerHead; body: readonly Buffer[]; ttlS: number },
  ): Promise<void> {
    const { cipher, metrics, values } = this.#options;
    const name = values.nameOf(accountId, cacheKey);
    try {
      const bytes = cipher.of(accountId).seal(packAnswer(head, body), name);
      const notSaved = await values.save(accountId, [{ name, bytes }], ttlS * 1_000);
      metrics.stored.labels('cache', notSaved === undefined ? 'stored' : 'no_room').inc();
    } catch (error) {
      metrics.stored.labels('cache', 'redis_away').inc();
      metrics.redisAway(error, requestId);
    }
  }

  /**
   * Announces a write, unless an equal request of this process is at work already.
   * @returns a function that ends the announcement, or a promise that resolves when the equal request has
   *   ended
   */
  startWriting(accountId: string, cacheKey: string): (() => void) | Promise<void> {
    const name = `${accountId} ${cacheKey}`;
    const other = this.#writing.get(name);
    if (other !== undefined) return other;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#writing.set(name, promise);
    return () => {
      // A later request may have announced its own write meanwhile.
      if (this.#writing.get(name) === promise) this.#writing.delete(name);
      resolve();
    };
  }

  /** Purges answers of an account, also those that are being written. @throws GatewayError 503 */
  async purge(accountId: string, purged: Purged): Promise<void> {
    const { values } = this.#options;
    try {
      if ('cacheKey' in purged) await values.remove([values.nameOf(accountId, purged.cacheKey)]);
      else if ('all' in purged) await values.purge(accountId, ALL_VALUES);
      else for (const name of purged.names) await values.purge(accountId, this.#markOf(purged.kind, name));
    } catch (error) {
      throw cacheUnavailable(error);
    }
  }

  #isPurged({ cached, source }: AnswerHead, purges: ReadonlyMap<string, number>): boolean {
    if (purges.size === 0 || cached === undefined) return false;
    const { atMs, keyId, tags } = cached;
    const marks = [
      ALL_VALUES,
      this.#markOf('model', source?.modelId ?? ''),
      this.#markOf('api_key', keyId),
      ...Object.entries(tags).map(([name, value]) => this.#markOf('tag', `${name}=${value}`)),
    ];
    return marks.some((mark) => (purges.get(mark) ?? 0) >= atMs);
  }

  /** Returns the mark of a purge: tags are not readable in Redis either. */
  #markOf(kind: string, name: string): string {
    return createHmac('sha256', this.#options.key).update(`${kind}\n${name}`).digest('base64url');
  }
}
