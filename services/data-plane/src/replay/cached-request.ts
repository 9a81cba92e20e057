import type { JsonBody } from '@model-gateway/dialects';
import { CACHE_HEADER } from '@model-gateway/shared/errors';
import type { CacheDirectives } from '@model-gateway/shared/rules';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { untilStopped } from '../http/until-stopped.ts';
import { claimMemory, type MemoryBudget } from '../memory/memory-budget.ts';
import { type AnswerSource, modelOf } from '../request-record.ts';
import { type SettleContext, settleUsage } from '../steps/settle-usage.ts';
import type { AnswerCache } from './answer-cache.ts';
import { AnswerRecording } from './answer-recording.ts';
import { cacheDirectivesOf, NO_CACHE } from './cache-directives.ts';
import type { Replays } from './connect-replays.ts';
import { answerHead, type RememberedAnswer, sendAnswer } from './remembered-answer.ts';
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
    this.#directives = cacheDirectivesOf(exchange);
    const isUsed = this.#directives !== NO_CACHE && !bypasses && isCacheable(body.value);
    this.#cache = isUsed ? context.replays.cache : undefined;
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
    // Before reading, so that the read finds what the last writer has stored.
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
    const { record } = this.#exchange;
    const cached = this.#cachedHead();
    if (typeof body === 'string') this.#context.replays.metrics.stored.labels('cache', outcomeOf(body)).inc();
    else if (cached !== undefined)
      await this.#cache?.write({ accountId: record.key.accountId, requestId: record.id }, this.#key, {
        head: { ...answerHead(this.#exchange), cached },
        body,
        ttlS: this.#directives.ttlS,
      });
    this.#endWriting?.();
    recording.finish();
  }

  /** @returns undefined for the answer of a fallback, which must not replace the model for longer */
  #cachedHead() {
    const { key, servingModel, tags = {} } = this.#exchange.record;
    if (this.#atMs === undefined || servingModel !== undefined) return undefined;
    return { atMs: this.#atMs, keyId: key.keyId, tags };
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
    // Rules differ between the keys of an account, and the catalog may have changed.
    if (!comesFrom(record.model, answer.source)) return false;
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
    record.cachedFrom = answer.source;
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

/** Returns true if a model, as the request may use it, still has the upstream of an answer. */
function comesFrom(model: RoutedModel | undefined, source: AnswerSource | undefined): boolean {
  return (
    model?.upstreams.some(
      (upstream) => upstream.provider.id === source?.providerId && upstream.model === source.upstreamModel,
    ) === true
  );
}

/** Returns false for a request that goes on in the background, or with something stored. */
function isCacheable({ background, echo, goesOn }: CacheableRequest): boolean {
  return background !== true && goesOn !== true && typeof echo?.previous_response_id !== 'string';
}

function outcomeOf(notRecorded: 'incomplete' | 'too_long' | 'no_room') {
  return notRecorded === 'incomplete' ? 'failed' : notRecorded;
}
