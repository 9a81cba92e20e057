import {
  type Chat,
  type ChatApi,
  ChatMeter,
  type CountedTurn,
  endpointOf,
  type JsonBody,
  type JsonObject,
  type ProviderProtocol,
  promptBytes,
  type Translation,
} from '@model-gateway/dialects';
import type { Unpriced } from '@model-gateway/shared';
import { believableOfChat } from '../billing/believable-chat.ts';
import { type BoundedChat, mostOfChat, withoutTools } from '../billing/most-units.ts';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { AuthenticatedExchange } from '../request-record.ts';
import type { CapabilityCall } from '../upstream/capability-call.ts';
import { EventRelay } from '../upstream/relay-event-stream.ts';
import { JsonRelay } from '../upstream/relay-json.ts';
import type { ChatContext } from './chat-context.ts';
import { otherModelsOf } from './other-models.ts';
import type { PassthroughRequest } from './passthrough-request.ts';
import { RequestTranslation } from './request-translation.ts';
import { usageOfTurns } from './usage-of-turns.ts';

/** A chat request, and how the API in which it is asked is answered. */
export interface CallerApi {
  api: ChatApi;
  body: JsonBody<BoundedChat & { streamed: boolean; unpriced?: readonly Unpriced[] }>;
  model: RoutedModel;
  /** From this API to the shape of Chat Completions. */
  fromCaller: Translation;
  /** What is translated has no tools that the provider runs: they cost nothing there. */
  leavesToolsOut?: true;
  /** Its answers begin with an estimate of the input. */
  beginsWithEstimate?: boolean;
  /** What providers of this API are passed; left out: the bytes of the body, always. */
  own?: Pick<PassthroughRequest<unknown>, 'abandon' | 'isRepeatable'>;
  /** @param written see `Chat` */
  chat(meter: ChatMeter, written: Chat['written']): Chat;
}

/** What all chats have in common, plain and streamed, in whichever API they are asked. */
export function chatCall(
  exchange: AuthenticatedExchange,
  { api, beginsWithEstimate, body, chat: chatOf, fromCaller, leavesToolsOut, model, own }: CallerApi,
  shared: ChatContext,
): CapabilityCall {
  const { mediaParts, streamed } = body.value;
  const endpoint = (dialect: ProviderProtocol) => endpointOf(dialect, 'chat');
  const runsTools = (dialect: ProviderProtocol) =>
    leavesToolsOut !== true || endpoint(dialect).apis.includes(api);
  const mayRunTools = model.upstreams.some(({ provider }) => runsTools(provider.dialect));
  const asked = mayRunTools ? body.value : withoutTools(body.value);
  const bounds = mostOfChat(asked, body.size, model);
  const known = {
    most: bounds.most,
    believable: believableOfChat(asked, model),
    mediaParts,
    mediaPartTokens: model.mediaPartTokens,
    promptBytes: body.inputBytes,
    chargesToolCalls: model.price === undefined || model.price.of.names.has('tool_call_usd'),
    usageOfTurns: (turns: readonly CountedTurn[]) => usageOfTurns(turns, model, shared.models.table),
  };
  const meter = new ChatMeter(body.chunks, known);
  const onParsed = (request: JsonObject) => {
    // The request is parsed for the estimate only once.
    if (streamed && beginsWithEstimate) known.promptBytes ??= promptBytes(request);
  };
  // Most chats are asked of providers of the same API.
  let translation: RequestTranslation | undefined;
  const chat = chatOf(meter, (...to) => {
    translation ??= new RequestTranslation(exchange, { api, body, model, fromCaller, onParsed }, shared);
    return translation.write(...to);
  });
  return {
    streamed,
    ...bounds,
    otherModels: otherModelsOf(body.value.unpriced, shared.models.table),
    isRepeatable: () => translation?.isRepeatable !== false && own?.isRepeatable !== false,
    ask: (dialect, upstreamModel, pace) => {
      // What another provider had begun to say has not gone out.
      meter.restart(runsTools(dialect));
      chat.caller.restart();
      return endpoint(dialect).ask(chat, upstreamModel, pace);
    },
    abandon: () => {
      translation?.abandon();
      own?.abandon();
    },
    answer: streamed
      ? new EventRelay(exchange, shared.streamTimings, {
          translator: ({ dialect, id }, upstreamModel) => endpoint(dialect).events(chat, id, upstreamModel),
          usage: (complete, isLeft) => meter.usage(complete, isLeft),
          failure: (error) => chat.caller.failure?.(error, exchange.record.id),
        })
      : new JsonRelay(exchange, shared, ({ dialect, id }, upstreamModel) =>
          endpoint(dialect).whole(chat, id, upstreamModel),
        ),
  };
}
