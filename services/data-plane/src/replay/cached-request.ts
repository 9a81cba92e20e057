import type { JsonBody } from '@model-gateway/dialects';
import type { StopSignal } from '@model-gateway/service-kit';
import { CACHE_HEADER } from '@model-gateway/shared/errors';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { claimMemory, type MemoryBudget } from '../memory/memory-budget.ts';
import { modelOf } from '../request-record.ts';
import { isAllowed } from '../rules/is-allowed.ts';
import { type SettleContext, settleUsage } from '../steps/settle-usage.ts';
import type { AnswerCache } from './answer-cache.ts';
import { AnswerRecording } from './answer-recording.ts';
import { type CacheDirectives, parseCacheDirectives } from './cache-directives.ts';
import type { Replays } from './connect-replays.ts';
import { answerHeaders, type RememberedAnswer, sendAnswer } from './remembered-answer.ts';
import { type FingerprintedBody, fingerprintedJson } from './request-fingerprint.ts';

const CACHE_KEY_HEADER = 'x-gateway-cache-key';
/** Request headers that change what a provider answers. */
const MEANINGFUL_HEADERS = /^(?:anthropic-|openai-beta$)/;

export interface CacheContext extends SettleContext {
  replays: Pick<Replays, 'cache' | 'metrics'>;
  answerBudget: MemoryBudget;
  streamTimings: { readonly clientStallMs: number };
}

/** Members of a request that refer to something stored, or have an effect besides the answer. */
interface CacheableRequest {
  background?: boolean;
  goesOn?: boolean;
  echo?: Readonly<Record<string, unknown>>;
}

/** Returns true if the caller asks for the cache. */
export function asksForCache({ req }: AuthenticatedExchange): boolean {
  return req.headers[CACHE_HEADER] !== undefined;
}

/** One request that may be answered from the cache, or whose answer may be cached. */
export class CachedRequest {
  readonly #context: CacheContext;
  readonly #exchange: AuthenticatedExchange;
  readonly #directives: CacheDirectives;
  /** Undefined: this request bypasses the cache. */
  readonly #cache: AnswerCache | undefined;
  readonly #body: () => FingerprintedBody;
  #key = '';
  /** Start of the request by the clock of Redis; undefined: its answer is not stored. */
  #atMs: number | undefined;
  #recording: AnswerRecording | undefined;
  #endWriting: (() => void) | undefined;

  /**
   * @param bypasses true: the cache is not used, whatever the body
   * @throws GatewayError 400 for a malformed header
   */
  constructor(
    context: CacheContext,
    exchange: AuthenticatedExchange,
    body: Pick<JsonBody<CacheableRequest>, 'chunks' | 'isLarge' | 'value'>,
    bypasses: boolean,
  ) {
    this.#context = context;
    this.#exchange = exchange;
    this.#directives = parseCacheDirectives(String(exchange.req.headers[CACHE_HEADER]));
    this.#cache = !bypasses && isCacheable(body.value) ? context.replays.cache : undefined;
    this.#body = () => fingerprintedJson(body);
  }

  /**
   * Answers from the cache. Otherwise, records the answer to come.
   * @returns true if the request is answered
   */
  async answer(): Promise<boolean> {
    const cache = this.#cache;
    if (cache === undefined) return this.#bypass();
    this.#key = cache.keyOf(this.#scope(), this.#body());
    // Before reading: whoever finds nobody writing then finds what the last one has written.
    if (this.#directives.writes) await this.#startWriting(cache);
    const isAnswered = await this.#sendCached(cache);
    if (isAnswered || this.#atMs === undefined) {
      this.#endWriting?.();
      return isAnswered || this.#bypass();
    }
    const { res } = this.#exchange;
    if (this.#directives.writes)
      this.#recording = new AnswerRecording(this.#exchange, this.#context.answerBudget);
    this.#count('miss');
    res.setHeader(CACHE_HEADER, 'miss');
    res.setHeader(CACHE_KEY_HEADER, this.#key);
    return false;
  }

  /** Stores the answer, and lets the caller see its end. Never throws. */
  async save(): Promise<void> {
    const recording = this.#recording;
    if (recording === undefined) return;
    const body = await recording.body();
    const { record, res } = this.#exchange;
    const head = this.#head();
    if (typeof body === 'string') this.#context.replays.metrics.stored.labels('cache', outcomeOf(body)).inc();
    else if (head !== undefined)
      await this.#cache?.write({ accountId: record.key.accountId, requestId: record.id }, this.#key, {
        head: { headers: answerHeaders(res), cached: head },
        body,
        ttlS: this.#directives.ttlS,
      });
    this.#endWriting?.();
    recording.finish();
  }

  /** @returns undefined for the answer of a fallback, which must not replace the model for longer */
  #head() {
    const { attempts, key, model, servingModel, tags = {} } = this.#exchange.record;
    const providerId = attempts.at(-1)?.providerId;
    if (this.#atMs === undefined || model === undefined || servingModel !== undefined) return undefined;
    if (providerId === undefined) return undefined;
    return { atMs: this.#atMs, modelId: model.id, providerId, keyId: key.keyId, tags };
  }

  #scope(): string[] {
    const { record, req } = this.#exchange;
    const headers = Object.entries(req.headers).filter(([name]) => MEANINGFUL_HEADERS.test(name));
    const sorted = headers.map(([name, value]) => `${name}: ${String(value)}`).sort();
    return [record.key.accountId, record.route, modelOf(record)?.id ?? '', ...sorted];
  }

  async #startWriting(cache: AnswerCache): Promise<void> {
    const { ends, record, stop } = this.#exchange;
    const writing = cache.startWriting(record.key.accountId, this.#key);
    if (!(writing instanceof Promise)) {
      this.#endWriting = writing;
      ends.push(writing);
    } else if (this.#directives.reads) await untilStopped(writing, stop.signal);
  }

  async #sendCached(cache: AnswerCache): Promise<boolean> {
    const { record } = this.#exchange;
    const reading = cache.read(record.key.accountId, this.#key, this.#directives.reads);
    const found = await (record.trace?.script('read', reading) ?? reading);
    this.#atMs = found?.nowMs;
    const answer = found?.answer;
    if (found === undefined || answer?.cached === undefined) return false;
    // Rules may differ between the keys of an account.
    if (!isAllowed(record, 'providers', answer.cached.providerId)) return false;
    if (!claimMemory(this.#exchange, this.#context.answerBudget).tryTake(2 * answer.body.length))
      return false;
    this.#exchange.stop.signal.throwIfAborted();
    this.#send(answer, Math.max(0, Math.floor((found.nowMs - answer.cached.atMs) / 1_000)));
    return true;
  }

  #send(answer: RememberedAnswer, ageS: number): void {
    const { record } = this.#exchange;
    this.#count('hit');
    record.isServed = true;
    record.isCacheHit = true;
    record.clientStatus = 200;
    record.releaseStream?.();
    settleUsage(this.#context, record, { usage: undefined, outcome: 'completed' });
    sendAnswer(this.#exchange, answer, {
      own: { [CACHE_HEADER]: 'hit', [CACHE_KEY_HEADER]: this.#key, age: String(ageS) },
      windowMs: this.#context.streamTimings.clientStallMs,
    });
  }

  #bypass(): false {
    this.#count('bypass');
    this.#exchange.res.setHeader(CACHE_HEADER, 'bypass');
    return false;
  }

  #count(outcome: 'hit' | 'miss' | 'bypass'): void {
    this.#context.replays.metrics.cached.labels(outcome).inc();
  }
}

/** Returns false for a request that goes on in the background, or with something stored. */
function isCacheable({ background, echo, goesOn }: CacheableRequest): boolean {
  return background !== true && goesOn !== true && typeof echo?.previous_response_id !== 'string';
}

function outcomeOf(notRecorded: 'incomplete' | 'too_long' | 'no_room') {
  return notRecorded === 'incomplete' ? 'failed' : notRecorded;
}

function untilStopped(work: Promise<void>, signal: StopSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onStop = () => reject(signal.reason);
    signal.addEventListener('abort', onStop);
    work.then(() => {
      signal.removeEventListener('abort', onStop);
      resolve();
    }, reject);
  });
}
