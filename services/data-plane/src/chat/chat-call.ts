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
import { type BoundedChat, maxUnitsOfChat, withoutTools } from '../billing/max-units.ts';
import { plausibleChatUsage } from '../billing/plausible-chat-usage.ts';
import { modelNamed } from '../catalog/model-named.ts';
import type { ModelTable, RoutedModel } from '../catalog/model-table.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { CapabilityCall } from '../upstream/capability-call.ts';
import { EventRelay, type StreamTimings } from '../upstream/relay-event-stream.ts';
import { JsonRelay, type WholeAnswers } from '../upstream/relay-json.ts';
import type { PassthroughContext, PassthroughRequest } from './passthrough-request.ts';
import { RequestTranslation } from './request-translation.ts';
import { usageOfTurns } from './usage-of-turns.ts';

const NO_MODELS: readonly RoutedModel[] = [];

/** Parts that all chats share, in every API. */
export interface ChatContext extends WholeAnswers, PassthroughContext {
  streamTimings: StreamTimings;
  models: { readonly table: ModelTable | undefined };
  /** Ids of models whose providers have counted reasoning tokens. */
  reasoningModels: ReadonlySet<string>;
}

export interface RequestedChat {
  api: ChatApi;
  body: JsonBody<BoundedChat & { streamed: boolean; unpriced?: readonly Unpriced[] }>;
  model: RoutedModel;
  /** Translation from the caller API to Chat Completions. */
  fromCaller: Translation;
  /** Set if the translation drops server tools, which then cost nothing. */
  leavesToolsOut?: true;
  /** Set if a stream begins with an estimate of its input tokens. */
  beginsWithEstimate?: true;
}

export interface PreparedChat {
  exchange: AuthenticatedExchange;
  requested: RequestedChat;
  bounds: Pick<CapabilityCall, 'maxUnits' | 'choices' | 'defaultOutput'>;
  /** Meters the output that the caller receives. */
  meter: ChatMeter;
  translation: RequestTranslation;
  shared: ChatContext;
}

export function prepareChat(
  exchange: AuthenticatedExchange,
  requested: RequestedChat,
  shared: ChatContext,
): PreparedChat {
  const { beginsWithEstimate, body, model } = requested;
  const mayRunTools = model.upstreams.some(({ provider }) => runsTools(requested, provider.protocol));
  const bounded = mayRunTools ? body.value : withoutTools(body.value);
  const bounds = maxUnitsOfChat(bounded, body.size, model);
  const known = {
    max: bounds.maxUnits,
    credible: plausibleChatUsage(bounded, bounds.maxUnits, model),
    mediaParts: body.value.mediaParts,
    mediaPartTokens: model.mediaPartTokens,
    promptBytes: body.inputBytes,
    chargesToolCalls: model.price === undefined || model.price.of.names.has('tool_call_usd'),
    chargesCacheWrites: model.price?.of.names.has('cache_write_per_million_usd') === true,
    usageOfTurns: (turns: readonly CountedTurn[]) => usageOfTurns(turns, model, shared.models.table),
  };
  const onParsed = (request: JsonObject) => {
    // Reuse this parse for the estimate.
    if (body.value.streamed && beginsWithEstimate) known.promptBytes ??= promptBytes(request);
  };
  return {
    exchange,
    requested,
    bounds,
    meter: new ChatMeter(body.chunks, known),
    translation: new RequestTranslation(exchange, { ...requested, onParsed }, shared),
    shared,
  };
}

/**
 * Builds the call of a prepared chat, streamed or not.
 * @param passthrough builds the body for providers of the caller's API; left out: it passes unchanged
 */
export function chatCall(
  { bounds, exchange, meter, requested, shared, translation }: PreparedChat,
  chat: Chat,
  passthrough?: Pick<PassthroughRequest<unknown>, 'abandon' | 'isRepeatable'>,
): CapabilityCall {
  const { streamed, unpriced } = requested.body.value;
  const endpoint = (protocol: ProviderProtocol) => endpointOf(protocol, 'chat');
  return {
    streamed,
    ...bounds,
    otherModels: otherModelsOf(unpriced, shared.models.table),
    isRepeatable: () => translation.isRepeatable && passthrough?.isRepeatable !== false,
    buildRequest: (protocol, upstreamModel, pace) => {
      // Nothing of an earlier provider's output has gone out.
      meter.restart(runsTools(requested, protocol));
      chat.caller.restart();
      return endpoint(protocol).buildRequest(chat, upstreamModel, pace);
    },
    abandon: () => {
      translation.abandon();
      passthrough?.abandon();
    },
    // A stream is aborted at once, and what it sent is known.
    estimateUnread: streamed ? undefined : (ms) => meter.estimateUnread(ms),
    answer: streamed
      ? new EventRelay(exchange, shared.streamTimings, {
          translator: ({ protocol, id }, upstreamModel) => endpoint(protocol).events(chat, id, upstreamModel),
          usage: (complete, sentAtMs) =>
            sentAtMs === undefined
              ? meter.usage(complete)
              : meter.usageOfLeftStream(sentAtMs, shared.reasoningModels.has(requested.model.id)),
          restart: () => chat.caller.restart(),
          failure: (error) => chat.caller.failure?.(error, exchange.record.id),
        })
      : new JsonRelay(exchange, shared, ({ protocol, id }, upstreamModel) =>
          endpoint(protocol).whole(chat, id, upstreamModel),
        ),
  };
}

function runsTools({ api, leavesToolsOut }: RequestedChat, protocol: ProviderProtocol): boolean {
  return leavesToolsOut !== true || endpointOf(protocol, 'chat').apis.includes(api);
}

/**
 * Returns the catalog's models that a request lets its provider call besides its own, as advisor or fallback.
 */
function otherModelsOf(
  unpriced: readonly Unpriced[] | undefined,
  table: ModelTable | undefined,
): readonly RoutedModel[] {
  // Fast path: hardly any request names another model.
  if (table === undefined || unpriced?.some(({ needsModel }) => needsModel !== undefined) !== true)
    return NO_MODELS;
  return unpriced.flatMap(({ needsModel }) => {
    const model = needsModel === undefined ? undefined : modelNamed(table, needsModel);
    return model ?? [];
  });
}
