import type { IncomingHttpHeaders } from 'node:http';
import {
  type Chat,
  type ChatApi,
  ChatMeter,
  type CountedTurn,
  endpointOf,
  type JsonBody,
  type JsonObject,
  measurePrompt,
  type ProviderProtocol,
  promptBytes,
  type Translation,
} from '@model-gateway/dialects';
import { creditUrlOf } from '@model-gateway/service-kit';
import { priceToHold, type Units, type Unpriced } from '@model-gateway/shared';
import type { Allowances } from '../billing/allowances.ts';
import {
  type BoundedChat,
  maxUnitsOfChat,
  textTokensOf,
  unusedUnitsOfChat,
  withoutTools,
} from '../billing/max-units.ts';
import { OutputCover } from '../billing/output-cover.ts';
import { plausibleChatUsage } from '../billing/plausible-chat-usage.ts';
import { applyPriceList } from '../catalog/apply-price-list.ts';
import { modelNamed } from '../catalog/model-named.ts';
import type { ModelTable, RoutedModel } from '../catalog/model-table.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { hasTokenLimit } from '../limits/policies.ts';
import type { CapabilityCall } from '../upstream/capability-call.ts';
import { EventRelay, type StreamTimings } from '../upstream/relay-event-stream.ts';
import { JsonRelay, type WholeAnswers } from '../upstream/relay-json.ts';
import { modelTraits } from './model-traits.ts';
import type { PassthroughContext, PassthroughRequest } from './passthrough-request.ts';
import { RequestTranslation } from './request-translation.ts';
import { usageOfTurns } from './usage-of-turns.ts';

const NO_MODELS: readonly RoutedModel[] = [];

/** Parts that all chats share, in every API. */
export interface ChatContext extends WholeAnswers, PassthroughContext {
  /** `CREDIT_URL`, where account holders buy credit. */
  creditUrl: string | undefined;
  streamTimings: StreamTimings;
  models: { readonly table: ModelTable | undefined };
  allowances: Pick<Allowances, 'extendNow' | 'reserve' | 'settle'>;
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
  /** True if the provider may continue after the stream, so that all of its output is reserved. */
  mayOutliveStream?: boolean;
}

export interface PreparedChat {
  exchange: AuthenticatedExchange;
  requested: RequestedChat;
  bounds: Pick<
    CapabilityCall,
    | 'maxUnits'
    | 'serviceTier'
    | 'unusedUnits'
    | 'wholeOutput'
    | 'choices'
    | 'defaultOutput'
    | 'modelOutput'
    | 'otherModels'
  >;
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
  const { api, beginsWithEstimate, body, fromCaller, model } = requested;
  const mayRunTools = model.upstreams.some(({ provider }) => runsTools(requested, provider.protocol));
  const bounded = mayRunTools ? body.value : withoutTools(body.value);
  const bounds = boundsOf(requested, bounded, shared, hasTokenLimit(exchange.record));
  const known = {
    max: bounds.maxUnits,
    credible: plausibleChatUsage(bounded, maxInputOf(body, bounds.maxUnits, model), model),
    mediaParts: body.value.mediaParts,
    mediaPartTokens: model.mediaPartTokens,
    promptBytes: body.inputBytes,
    serviceTier: body.value.serviceTier,
    chargesToolCalls: model.price === undefined || model.price.cost.names.has('tool_call_usd'),
    chargesCacheWrites: model.price?.cost.names.has('cache_write_per_million_usd') === true,
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
    translation: new RequestTranslation(exchange, { api, body, model, fromCaller, onParsed }, shared),
    shared,
  };
}

/** Returns the maximum input: a token per byte of text, or more if more is reserved. */
function maxInputOf(
  { size, value: { mediaBytes, mediaParts } }: RequestedChat['body'],
  { inputTokens }: Units,
  { mediaPartTokens }: RoutedModel,
): number {
  return Math.max(inputTokens, size - mediaBytes + mediaParts * mediaPartTokens);
}

/**
 * Returns the bounds of a chat. Measures its text only for a paid model or a limit of tokens.
 * @param hasTokenLimit true: the bounds of a free model count against a rate limit
 */
function boundsOf(
  { body, mayOutliveStream, model }: RequestedChat,
  bounded: BoundedChat,
  { models: { table } }: ChatContext,
  hasTokenLimit: boolean,
): PreparedChat['bounds'] {
  const { price } = model;
  const { mediaBytes, streamed, unpriced } = body.value;
  const otherModels = otherModelsOf(unpriced, model, table);
  if (price === undefined && !hasTokenLimit)
    return { ...maxUnitsOfChat(bounded, body.size - mediaBytes, model), otherModels };
  const measure = body.measure ?? measurePrompt(body.chunks);
  const { cachesMarkedOnly, isKnown } = modelTraits(model);
  const textTokens = textTokensOf(measure, { bodyBytes: body.size, mediaBytes, isKnown });
  const bounds = maxUnitsOfChat(bounded, textTokens, model);
  if (price === undefined) return { ...bounds, otherModels };
  const { firstOutput, maxUnits } = bounds;
  // The bytes of speech say nothing about its tokens.
  const maySpeak = price.selling.names.has('audio_output_per_million_usd');
  const isStepwise = streamed && mayOutliveStream !== true && otherModels.length === 0 && !maySpeak;
  const wholeOutput = isStepwise && firstOutput < maxUnits.outputTokens ? maxUnits.outputTokens : undefined;
  if (wholeOutput !== undefined) maxUnits.outputTokens = firstOutput;
  const unusedUnits = unusedUnitsOfChat(bounded, measure.cacheMark, cachesMarkedOnly);
  return { ...bounds, serviceTier: bounded.serviceTier, unusedUnits, wholeOutput, otherModels };
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
  const { streamed } = requested.body.value;
  const endpoint = (protocol: ProviderProtocol) => endpointOf(protocol, 'chat');
  const reasons = () => shared.reasoningModels.has(requested.model.id);
  const reportTier = (protocol: ProviderProtocol, headers: IncomingHttpHeaders) => {
    const { tierHeader } = endpoint(protocol);
    if (tierHeader !== undefined) meter.reportTierInHeaders(headers[tierHeader]);
  };
  return {
    // Spread first: V8 copies an object quickly only into an empty one.
    ...bounds,
    streamed,
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
    estimateUnused: streamed ? (ms) => meter.usageOfLeftStream(performance.now() - ms, reasons()) : undefined,
    answer: streamed
      ? new EventRelay(exchange, shared.streamTimings, {
          api: chat.api,
          showsUsage: chat.api !== 'chat-completions' || chat.body.value.includeUsage,
          translator: ({ protocol, id }, upstreamModel, headers) => {
            reportTier(protocol, headers);
            return endpoint(protocol).events(chat, id, upstreamModel);
          },
          usage: (complete, sentAtMs) =>
            sentAtMs === undefined ? meter.usage(complete) : meter.usageOfLeftStream(sentAtMs, reasons()),
          restart: () => chat.caller.restart(),
          failure: (error) => chat.caller.failure?.(error, exchange.record.id),
          cover: coverOf({ bounds, exchange, meter, requested, shared }),
        })
      : new JsonRelay(
          exchange,
          shared,
          ({ protocol, id }, upstreamModel, headers) => {
            reportTier(protocol, headers);
            return endpoint(protocol).whole(chat, id, upstreamModel);
          },
          chat.api,
        ),
  };
}

/** @returns undefined if all of the output is reserved from the start */
function coverOf({
  bounds: { maxUnits, serviceTier, unusedUnits = [], wholeOutput },
  exchange,
  meter,
  requested: { body, model },
  shared: { allowances, creditUrl, reasoningModels },
}: Omit<PreparedChat, 'translation'>): OutputCover | undefined {
  if (wholeOutput === undefined || model.price === undefined) return undefined;
  return new OutputCover({
    allowances,
    creditUrl: () => creditUrl && creditUrlOf(creditUrl, exchange.record.key.accountId),
    record: exchange.record,
    signal: exchange.stop.signal,
    price: priceToHold(model.price.selling, serviceTier),
    maxUnits,
    unusedUnits,
    wholeOutput,
    choices: body.value.choices,
    unseenTokens: body.value.choices * body.value.predictionBytes,
    meter,
    reasons: () => reasoningModels.has(model.id),
  });
}

function runsTools({ api, leavesToolsOut }: RequestedChat, protocol: ProviderProtocol): boolean {
  return leavesToolsOut !== true || endpointOf(protocol, 'chat').apis.includes(api);
}

/**
 * Returns the catalog's models that a request lets its provider call besides its own, as advisor or fallback,
 * at the prices of the payer's price list.
 */
function otherModelsOf(
  unpriced: readonly Unpriced[] | undefined,
  { price }: RoutedModel,
  table: ModelTable | undefined,
): readonly RoutedModel[] {
  // Fast path: hardly any request names another model.
  if (table === undefined || unpriced?.some(({ needsModel }) => needsModel !== undefined) !== true)
    return NO_MODELS;
  return unpriced.flatMap(({ needsModel }) => {
    const model = needsModel === undefined ? undefined : modelNamed(table, needsModel);
    return model === undefined ? [] : applyPriceList(model, price?.list);
  });
}
