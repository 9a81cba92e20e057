import type { GatewayError, ResponsesRequest } from '@model-gateway/shared';
import { unexpectedJson } from '../../failures/provider-failures.ts';
import type { PassthroughEvent, ResponsesCaller } from '../../interfaces/chat-caller.ts';
import type { JsonAnswer, LargeJsonAnswer } from '../../interfaces/response-translators.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import type { ChatMeter } from '../../usage/chat-meter.ts';
import type { CountedUsage } from '../../usage/counted-usage.ts';
import type { ChatResponse } from '../../usage/parse-chat-response.ts';
import { requireFinishReason } from '../chat-output/chat-end.ts';
import { ToolNames } from '../chat-request/tool-names.ts';
import { ChatStreamToResponses } from './convert-chat-stream-to-responses.ts';
import { PassthroughResponse } from './passthrough-responses.ts';
import { type EventWriter, NO_EVENT_WRITER, ResponseEvents } from './responses-events.ts';
import { responseError } from './responses-failure.ts';
import { ResponseObject, type ResponseStore } from './responses-object.ts';
import { OutputItems } from './responses-output-items.ts';

/** Seals the ids of responses for one account and one model. */
export interface IdSealer {
  seal(providerId: string, responseId: string): string;
}

export interface WriterOptions {
  modelId: string;
  request: Pick<ResponsesRequest, 'callableTools' | 'echo' | 'wantsEncrypted'>;
  ids: IdSealer;
  /** Stores responses; undefined: nothing is stored. */
  store?: ResponseStore | undefined;
}

export class ResponsesWriter implements ResponsesCaller {
  readonly #meter: ChatMeter;
  readonly #options: WriterOptions;
  /** Unused for passthrough responses. */
  #response: ResponseObject | undefined;
  #names: ToolNames | undefined;
  #stream: ChatStreamToResponses | undefined;
  #passthrough: PassthroughResponse | undefined;
  #finishReason: unknown;

  constructor(meter: ChatMeter, options: WriterOptions) {
    this.#meter = meter;
    this.#options = options;
  }

  restart(): void {
    this.#stream = undefined;
    this.#passthrough = undefined;
    this.#finishReason = undefined;
  }

  sealed(providerId: string, responseId: string): string {
    return this.#options.ids.seal(providerId, responseId);
  }

  passEvent(event: PassthroughEvent, written: unknown): string {
    if (written !== undefined) this.#meter.deliverText(written, event.type.startsWith('response.reasoning'));
    this.#passthrough ??= new PassthroughResponse();
    this.#passthrough.track(event);
    return `event: ${event.type}\ndata: ${event.data}\n\n`;
  }

  passResponse(text: string, written: unknown): JsonAnswer {
    this.#meter.deliverText(written);
    return { body: text, usage: this.#meter.usage(true) };
  }

  passLarge(pieces: Buffer[], written: unknown): LargeJsonAnswer {
    this.#meter.deliverText(written);
    return { pieces, usage: this.#meter.usage(true) };
  }

  count(usage: CountedUsage): void {
    this.#meter.count(usage);
  }

  reportTier(tier: unknown): void {
    this.#meter.reportTier(tier);
  }

  chunk({ choices, service_tier, usage }: ChatResponse): string {
    this.#meter.report(usage);
    this.#meter.reportTier(service_tier);
    const deltas: JsonObject[] = [];
    for (const { delta, finish_reason, index, message } of choices) {
      // One answer is asked for, and Responses has but one.
      if (index !== undefined && index !== 0) continue;
      const written = delta ?? message;
      if (isObject(written)) deltas.push(written);
      if (typeof finish_reason === 'string' && finish_reason !== '') this.#finishReason = finish_reason;
    }
    return this.#openStream.write(deltas);
  }

  /** @throws GatewayError 502 for a stream that ends without a reason, or in the middle of a tool call */
  end(): string {
    requireFinishReason(this.#finishReason);
    return this.#openStream.end(this.#finishReason, () => this.#meter.usage(true));
  }

  completion({ choices, service_tier, usage }: ChatResponse): JsonAnswer {
    this.#meter.report(usage);
    this.#meter.reportTier(service_tier);
    const choice = choices[0] ?? {};
    const { finish_reason, message } = choice;
    if (!isObject(message)) throw unexpectedJson(new Error('its choice has no message'));
    this.#meter.deliver([choice]);
    const items = this.#items(NO_EVENT_WRITER, {
      deliverText: () => undefined,
      deliverImage: () => undefined,
    });
    items.write(message);
    const state = items.end(finish_reason);
    const billed = this.#meter.usage(true);
    return { body: this.#openResponse.json({ ...state, usage: billed }), usage: billed };
  }

  failure(error: GatewayError, requestId: string): string {
    const failed = responseError(error, requestId);
    return (
      this.#passthrough?.failure(failed) ?? this.#openStream.failure(failed, this.#passthrough?.next ?? 0)
    );
  }

  get #openResponse(): ResponseObject {
    const { store, modelId, request } = this.#options;
    this.#response ??= new ResponseObject(modelId, request.echo, store);
    return this.#response;
  }

  get #openStream(): ChatStreamToResponses {
    if (this.#stream !== undefined) return this.#stream;
    const events = new ResponseEvents();
    const items = this.#items(events, this.#meter);
    this.#stream = new ChatStreamToResponses(this.#openResponse, events, items);
    return this.#stream;
  }

  #items(events: EventWriter, meter: Pick<ChatMeter, 'deliverImage' | 'deliverText'>): OutputItems {
    const { store, request } = this.#options;
    const { callableTools } = request;
    // A stored response must have everything that a later turn needs.
    const wantsEncrypted = request.wantsEncrypted || store !== undefined;
    const tool = (name: string) => {
      this.#names ??= new ToolNames(callableTools);
      return this.#names.tool(name);
    };
    return new OutputItems({ events, names: { tool }, wantsEncrypted, meter });
  }
}
