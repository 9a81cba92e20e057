import type { ChatCompletionsRequest } from '@model-gateway/shared';
import { mostOfChat } from '../../billing/most-units.ts';
import type { RoutedModel } from '../../catalog/model-table.ts';
import { renameModel } from '../../json/rename-model.ts';
import type { Exchange, Usage } from '../../request-record.ts';
import type { JsonBody } from '../../steps/read-json-body.ts';
import type { CapabilityCall, ProviderBody } from '../../upstream/capability-call.ts';
import { badGateway } from '../../upstream/provider-errors.ts';
import { EventRelay, type EventTranslator, type StreamTimings } from '../../upstream/relay-event-stream.ts';
import { JsonRelay, type WholeAnswers } from '../answer-json.ts';
import { jsonProviderBody } from '../provider-body.ts';
import { type ChatAnswer, chatCompletion, parseChatChunk, visibleChunk } from './chat-answer.ts';
import { ChatMeter } from './chat-meter.ts';
import { largeCompletion } from './large-completion.ts';

const DONE = '[DONE]';
const NO_USAGE_YET = ',"usage":null}';

/** POST /v1/chat/completions, plain and streamed. */
export function chatCall(
  exchange: Exchange,
  body: JsonBody<ChatCompletionsRequest>,
  model: RoutedModel,
  shared: WholeAnswers & { streamTimings: StreamTimings },
): CapabilityCall {
  const { includeUsage, mediaParts, streamed } = body.value;
  const bounds = mostOfChat(body.value, body.size, model);
  const { mediaPartTokens } = model;
  const meter = new ChatMeter(body.chunks, {
    most: bounds.most,
    mediaParts,
    mediaPartTokens,
    promptBytes: body.inputBytes,
  });
  return {
    path: '/chat/completions',
    accept: streamed ? 'text/event-stream' : 'application/json',
    streamed,
    repeatable: true,
    ...bounds,
    body: (upstreamModel) => providerBody(body, upstreamModel),
    answer: streamed
      ? new EventRelay(exchange, shared.streamTimings, new ChatEvents(meter, model.id, includeUsage))
      : new JsonRelay(exchange, shared, {
          whole: (value, text) => {
            const completion = chatCompletion(value);
            meter.report(completion.usage);
            meter.deliver(completion.choices);
            return { body: completionBody(completion, text, model.id, meter), usage: wholeUsage(meter) };
          },
          outline: { within: 'choices', depth: 3 },
          large: (answer) => {
            const pieces = largeCompletion(answer, model.id, meter);
            return { pieces, usage: wholeUsage(meter) };
          },
        }),
  };
}

function wholeUsage(meter: ChatMeter): Usage {
  const usage = meter.usage(true);
  if (usage === undefined) throw badGateway(new Error('nothing was delivered'));
  return usage;
}

/**
 * What the provider gets: its own model name, no `notre`, usage always asked for; all else as it was sent.
 */
function providerBody(body: JsonBody<ChatCompletionsRequest>, upstreamModel: string): ProviderBody {
  const { streamOptionsJson } = body.value;
  return jsonProviderBody(body, {
    model: JSON.stringify(upstreamModel),
    ...(streamOptionsJson === undefined ? {} : { stream_options: streamOptionsJson }),
  });
}

/**
 * The provider's text with another model id where that can be done, else the completion to be written anew.
 */
function completionBody(
  completion: ChatAnswer,
  text: string,
  modelId: string,
  meter: ChatMeter,
): string | object {
  const shown = withBelievableUsage(completion, meter);
  const renamed = shown === completion ? renameModel(text, completion.model, modelId) : undefined;
  return renamed ?? { ...shown, model: modelId };
}

function withBelievableUsage(answer: ChatAnswer, meter: ChatMeter): ChatAnswer {
  const usage = meter.believable(answer.usage);
  return usage === answer.usage ? answer : { ...answer, usage };
}

/** Chunks under the gateway's model id, without the usage that only the gateway asked for. */
class ChatEvents implements EventTranslator {
  readonly mayEnd = false;
  readonly rest = '';
  readonly #meter: ChatMeter;
  readonly #modelId: string;
  readonly #includeUsage: boolean;

  constructor(meter: ChatMeter, modelId: string, includeUsage: boolean) {
    this.#meter = meter;
    this.#modelId = modelId;
    this.#includeUsage = includeUsage;
  }

  translate(data: string): { text: string; done: boolean } {
    if (data === DONE) return { text: `data: ${DONE}\n\n`, done: true };
    const chunk = parseChatChunk(data);
    this.#meter.report(chunk.usage);
    this.#meter.deliver(chunk.choices);
    const shown = this.#includeUsage ? withBelievableUsage(chunk, this.#meter) : chunk;
    const renamed = shown === chunk ? this.#renamed(data, chunk) : undefined;
    if (renamed !== undefined) return { text: `data: ${renamed}\n\n`, done: false };
    const visible = visibleChunk(shown, this.#modelId, this.#includeUsage);
    return { text: visible === undefined ? '' : `data: ${JSON.stringify(visible)}\n\n`, done: false };
  }

  usage(complete: boolean): Usage | undefined {
    return this.#meter.usage(complete);
  }

  /** The event's data for the client without writing it anew; undefined where that cannot be done. */
  #renamed(data: string, chunk: ChatAnswer): string | undefined {
    // Several lines belong into several fields of the event.
    if (data.includes('\n')) return undefined;
    if (this.#includeUsage || chunk.usage === undefined) return renameModel(data, chunk.model, this.#modelId);
    // Providers that are asked for the usage say at each chunk that it is still to come.
    if (chunk.usage !== null || !data.endsWith(NO_USAGE_YET)) return undefined;
    return renameModel(`${data.slice(0, -NO_USAGE_YET.length)}}`, chunk.model, this.#modelId);
  }
}
