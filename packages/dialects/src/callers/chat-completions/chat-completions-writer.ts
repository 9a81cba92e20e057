import type { ChatCompletionsCaller } from '../../interfaces/chat-caller.ts';
import type { JsonAnswer, LargeJsonAnswer } from '../../interfaces/response-translators.ts';
import type { OutlinedResponse } from '../../json/outlined-response.ts';
import { renameModel } from '../../json/rename-model.ts';
import type { ChatMeter } from '../../usage/chat-meter.ts';
import type { CountedUsage } from '../../usage/counted-usage.ts';
import type { ChatResponse } from '../../usage/parse-chat-response.ts';
import { chatTier } from './chat-tier.ts';
import { rewriteLargeCompletion } from './rewrite-large-completion.ts';

const NO_USAGE_YET = ',"usage":null}';

/** Passes responses unchanged, except for the model id and an absurd usage. */
export class ChatCompletionsWriter implements ChatCompletionsCaller {
  readonly #meter: ChatMeter;
  readonly #modelId: string;
  readonly #includeUsage: boolean;

  /** @param includeUsage true if the caller of a stream asked for usage, not only the gateway */
  constructor(meter: ChatMeter, modelId: string, includeUsage: boolean) {
    this.#meter = meter;
    this.#modelId = modelId;
    this.#includeUsage = includeUsage;
  }

  restart(): void {
    // There is no state of a response.
  }

  chunk(chunk: ChatResponse, text?: string): string {
    this.#meter.report(chunk.usage);
    this.#meter.reportTier(chunk.service_tier);
    this.#meter.deliver(chunk.choices);
    const shown = this.#includeUsage ? this.#withCredibleUsage(chunk) : chunk;
    const renamed = shown === chunk && text !== undefined ? this.#renamed(text, chunk) : undefined;
    if (renamed !== undefined) return `data: ${renamed}\n\n`;
    const visible = this.#visible(text === undefined ? this.#withTier(shown) : shown);
    return visible === undefined ? '' : `data: ${JSON.stringify(visible)}\n\n`;
  }

  end(): string {
    return 'data: [DONE]\n\n';
  }

  completion(completion: ChatResponse, text?: string): JsonAnswer {
    this.#meter.report(completion.usage);
    this.#meter.reportTier(completion.service_tier);
    this.#meter.deliverWhole(completion.choices);
    const shown = this.#withCredibleUsage(completion);
    const renamed =
      shown === completion && text !== undefined
        ? renameModel(text, completion.model, this.#modelId)
        : undefined;
    const body = renamed ?? { ...this.#withTier(shown), model: this.#modelId };
    return { body, usage: this.#meter.usage(true) };
  }

  large(answer: OutlinedResponse): LargeJsonAnswer {
    const pieces = rewriteLargeCompletion(answer, this.#modelId, this.#meter);
    return { pieces, usage: this.#meter.usage(true) };
  }

  count(usage: CountedUsage): void {
    this.#meter.count(usage);
  }

  reportTier(tier: unknown): void {
    this.#meter.reportTier(tier);
  }

  /** Adds the service tier that a provider of another API has reported. */
  #withTier(response: ChatResponse): ChatResponse {
    const { servedTier } = this.#meter;
    if (servedTier === undefined || response.service_tier !== undefined) return response;
    return { ...response, service_tier: chatTier(servedTier) };
  }

  #withCredibleUsage(answer: ChatResponse): ChatResponse {
    const usage = this.#meter.replaceAbsurd(answer.usage);
    return usage === answer.usage ? answer : { ...answer, usage };
  }

  /** Removes a usage that only the gateway asked for; undefined: the chunk has nothing else. */
  #visible(chunk: ChatResponse): ChatResponse | undefined {
    if (this.#includeUsage) return { ...chunk, model: this.#modelId };
    const { usage, ...visible } = chunk;
    const isUsageChunk = chunk.choices.length === 0 && usage !== undefined && usage !== null;
    return isUsageChunk ? undefined : { ...visible, choices: chunk.choices, model: this.#modelId };
  }

  /** Edits the text of a chunk instead of serializing it; undefined: impossible. */
  #renamed(text: string, chunk: ChatResponse): string | undefined {
    // Several lines belong into several fields of the event.
    if (text.includes('\n')) return undefined;
    if (this.#includeUsage || chunk.usage === undefined) return renameModel(text, chunk.model, this.#modelId);
    // With usage requested, providers send `null` until the last chunk.
    if (chunk.usage !== null || !text.endsWith(NO_USAGE_YET)) return undefined;
    return renameModel(`${text.slice(0, -NO_USAGE_YET.length)}}`, chunk.model, this.#modelId);
  }
}
