import {
  type ChatApi,
  type JsonBody,
  type JsonObject,
  type Translation,
  type WrittenJson,
  type WrittenRequest,
  writeTranslated,
  writtenBody,
} from '@model-gateway/dialects';
import type { RoutedModel, RoutedUpstream } from '../catalog/model-table.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { JsonQueue } from '../json/json-queue.ts';
import { claimMemory } from '../memory/claim-memory.ts';
import type { MemoryBudget } from '../memory/memory-budget.ts';
import type { MemoryClaim } from '../memory/memory-claim.ts';

export interface TranslationContext {
  jsonTurns: Pick<JsonQueue, 'translate'>;
  bodyBudget: MemoryBudget;
}

export interface TranslatedChat {
  api: ChatApi;
  body: JsonBody<unknown>;
  model: RoutedModel;
  /** From the caller's API to the shape of Chat Completions. */
  fromCaller: Translation;
  /** Looks at a request that is parsed here, so that nobody has to parse it once more. */
  onParsed?: (request: JsonObject) => void;
}

/** The request of one chat in other APIs, translated once for each that is asked. */
export class RequestTranslation {
  readonly #exchange: AuthenticatedExchange;
  readonly #chat: TranslatedChat;
  readonly #context: TranslationContext;
  /** By translation and model. Most chats are passed through, and need none. */
  #done: Map<string, WrittenJson> | undefined;
  /** The room for large ones. */
  readonly #claims: MemoryClaim[] = [];
  #isSpent = false;

  constructor(exchange: AuthenticatedExchange, chat: TranslatedChat, context: TranslationContext) {
    this.#exchange = exchange;
    this.#chat = chat;
    this.#context = context;
  }

  /**
   * Returns true if another attempt may follow: not where its request is gone because there was no room to
   * keep it.
   */
  get isRepeatable(): boolean {
    return !this.#isSpent;
  }

  /** To be called when nobody is asked any more with what was written here. */
  abandon(): void {
    this.#done?.clear();
    for (const claim of this.#claims) claim.giveBack();
  }

  /** `written` of a chat. */
  readonly written = (
    upstreamModel: string,
    toProvider?: Translation,
  ): WrittenRequest | Promise<WrittenRequest> => {
    const written = this.#write(upstreamModel, toProvider);
    return written instanceof Promise ? written.then(sent) : sent(written);
  };

  /** The same without a translation on, in one piece. */
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
    return this.#inTurn(translations, upstreamModel).then(keep);
  }

  /**
   * In the thread for large bodies. What is written there takes the place of the request, unless there is
   * room for both, and another provider might be sent the request otherwise.
   */
  async #inTurn(translations: readonly Translation[], upstreamModel: string): Promise<WrittenJson> {
    const { body, model } = this.#chat;
    const { record, stop } = this.#exchange;
    const claim = claimMemory(this.#exchange, this.#context.bodyBudget);
    this.#claims.push(claim);
    const isForOne = this.#isForOne();
    const isKept = !isForOne && claim.tryTake(body.size);
    const answer = await this.#context.jsonTurns.translate({
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
    this.#isSpent = !isKept && !isForOne;
    const more = written.json.byteLength - body.size;
    if (more > 0) await claim.take(more, stop.signal);
    else if (isKept) claim.giveBackPart(-more);
    return written;
  }

  /** Returns true if every attempt is asked with the very same translation. */
  #isForOne(): boolean {
    if (this.#exchange.record.hasFallbacks === true) return false;
    const { api, model } = this.#chat;
    const [first, ...others] = model.upstreams;
    const isLike = (upstream: RoutedUpstream) =>
      upstream.model === first?.model && upstream.provider.protocol === first.provider.protocol;
    return first?.provider.protocol.endpoints.chat?.apis.includes(api) === false && others.every(isLike);
  }
}

function sent({ ignored, json }: WrittenJson): WrittenRequest {
  return { body: writtenBody(json), ignored };
}
