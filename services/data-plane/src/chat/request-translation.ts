import {
  type ChatApi,
  type JsonBody,
  type JsonObject,
  serializedBody,
  type TranslatedBody,
  type Translation,
  type WrittenJson,
  writeTranslated,
} from '@model-gateway/dialects';
import type { RoutedModel, RoutedUpstream } from '../catalog/model-table.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { JsonQueue } from '../json/json-queue.ts';
import { claimMemory, type MemoryBudget } from '../memory/memory-budget.ts';
import type { MemoryClaim } from '../memory/memory-claim.ts';

export interface TranslationContext {
  jsonQueue: Pick<JsonQueue, 'translate'>;
  bodyBudget: MemoryBudget;
}

export interface TranslatedChat {
  api: ChatApi;
  body: JsonBody<unknown>;
  model: RoutedModel;
  /** Translation from the caller API to Chat Completions. */
  fromCaller: Translation;
  /** Receives the parsed request, to save another parse. */
  onParsed?: (request: JsonObject) => void;
}

/** Translates the request of one chat, once per provider API and model. */
export class RequestTranslation {
  readonly #exchange: AuthenticatedExchange;
  readonly #chat: TranslatedChat;
  readonly #context: TranslationContext;
  /** By translation and model; undefined for most chats, which pass through. */
  #done: Map<string, WrittenJson> | undefined;
  readonly #claims: MemoryClaim[] = [];
  #isConsumed = false;

  constructor(exchange: AuthenticatedExchange, chat: TranslatedChat, context: TranslationContext) {
    this.#exchange = exchange;
    this.#chat = chat;
    this.#context = context;
  }

  /** Returns false once the original request was dropped because there was no memory to keep both. */
  get isRepeatable(): boolean {
    return !this.#isConsumed;
  }

  /** Frees the translations. Call it when no provider will get them any more. */
  abandon(): void {
    this.#done?.clear();
    for (const claim of this.#claims) claim.giveBack();
  }

  /** Implements `Chat.written`. */
  readonly written = (
    upstreamModel: string,
    toProvider?: Translation,
  ): TranslatedBody | Promise<TranslatedBody> => {
    const written = this.#write(upstreamModel, toProvider);
    return written instanceof Promise ? written.then(toTranslatedBody) : toTranslatedBody(written);
  };

  /** Applies only the caller's translation and returns the bytes in one piece. */
  async writeBytes(upstreamModel: string): Promise<{ bytes: Buffer; ignored: readonly string[] }> {
    const { ignored, json } = await this.#write(upstreamModel);
    return { bytes: Buffer.from(json.buffer, json.byteOffset, json.byteLength), ignored };
  }

  #write(upstreamModel: string, toProvider?: Translation): WrittenJson | Promise<WrittenJson> {
    const { body, fromCaller, onParsed } = this.#chat;
    const translations = toProvider === undefined ? [fromCaller] : [fromCaller, toProvider];
    const name = `${toProvider?.name ?? ''} ${upstreamModel}`;
    const done = this.#done?.get(name);
    if (done !== undefined) return done;
    const keep = (written: WrittenJson) => {
      this.#done ??= new Map();
      this.#done.set(name, written);
      return written;
    };
    const model = { ...this.#chat.model, upstreamModel };
    if (!body.isLarge) return keep(writeTranslated(body.chunks, translations, model, onParsed));
    return this.#translateInThread(translations, upstreamModel).then(keep);
  }

  /**
   * Translates in the worker thread. The result replaces the request, unless another provider might need the
   * original and there is memory for both.
   */
  async #translateInThread(
    translations: readonly Translation[],
    upstreamModel: string,
  ): Promise<WrittenJson> {
    const { body, model } = this.#chat;
    const { record, stop } = this.#exchange;
    const claim = claimMemory(this.#exchange, this.#context.bodyBudget);
    this.#claims.push(claim);
    const isOnlyTranslation = this.#isOnlyTranslation();
    const isKept = !isOnlyTranslation && claim.tryTake(body.size);
    const answer = await this.#context.jsonQueue.translate({
      owner: record.key,
      signal: stop.signal,
      chunks: isKept ? body.chunks.map((chunk) => Buffer.from(chunk)) : body.chunks,
      translations: translations.map(({ name }) => name),
      model: { id: model.id, maxOutputTokens: model.maxOutputTokens, upstreamModel },
    });
    if ('refusal' in answer) {
      claim.giveBack();
      if (!isKept) body.chunks = answer.chunks;
      throw answer.refusal;
    }
    const { written } = answer;
    if (!isKept) body.chunks = [];
    this.#isConsumed = !isKept && !isOnlyTranslation;
    const growth = written.json.byteLength - body.size;
    if (growth > 0) await claim.take(growth, stop.signal);
    else if (isKept) claim.giveBackPart(-growth);
    return written;
  }

  /** Returns true if every attempt will send this same translation. */
  #isOnlyTranslation(): boolean {
    if (this.#exchange.record.hasFallbacks === true) return false;
    const { api, model } = this.#chat;
    const [first, ...others] = model.upstreams;
    const isLike = (upstream: RoutedUpstream) =>
      upstream.model === first?.model && upstream.provider.protocol === first.provider.protocol;
    return first?.provider.protocol.endpoints.chat?.apis.includes(api) === false && others.every(isLike);
  }
}

function toTranslatedBody({ ignored, json }: WrittenJson): TranslatedBody {
  return { body: serializedBody(json), ignored };
}
