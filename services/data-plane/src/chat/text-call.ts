import type { IncomingHttpHeaders } from 'node:http';
import {
  type ChatApi,
  type ChatCaller,
  ChatMeter,
  type CountedTurn,
  endpointOf,
  type JsonBody,
  type JsonObject,
  measurePrompt,
  type ProviderProtocol,
  promptBytes,
  type TextEndpoint,
} from '@model-gateway/dialects';
import { creditUrlOf } from '@model-gateway/service-kit';
import { type EchoedPrompts, priceToHold, type Units, type Unpriced } from '@model-gateway/shared';
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
import { usageOfTurns } from './usage-of-turns.ts';

const NO_MODELS: readonly RoutedModel[] = [];

/** Parts that all requests for text share, in every API. */
export interface TextContext extends WholeAnswers {
  /** `CREDIT_URL`, where account holders buy credit. */
  creditUrl: string | undefined;
  streamTimings: StreamTimings;
  models: { readonly table: ModelTable | undefined };
  allowances: Pick<Allowances, 'extendNow' | 'reserve' | 'settle'>;
  /** Ids of models whose providers have counted reasoning tokens. */
  reasoningModels: ReadonlySet<string>;
}

export interface RequestedText {
  body: JsonBody<
    BoundedChat & {
      streamed: boolean;
      includeUsage?: boolean;
      unpriced?: readonly Unpriced[];
      echoed?: EchoedPrompts | undefined;
      returnedChoices?: number;
    }
  >;
  model: RoutedModel;
  /** The caller's API. Left out: the request is no chat. */
  api?: ChatApi;
  /** Set if the translation to another API drops server tools, which then cost nothing. */
  leavesToolsOut?: true;
  /** Set if a stream begins with an estimate of its input tokens. */
  beginsWithEstimate?: true;
  /** True if the provider may write more than the stream delivers, so that all of its output is reserved. */
  mayOutliveStream?: boolean;
}

export interface PreparedText {
  exchange: AuthenticatedExchange;
  requested: RequestedText;
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
  /** Takes the parsed request, to save another parse for an estimate. */
  onParsed: (request: JsonObject) => void;
  shared: TextContext;
}

export function prepareText(
  exchange: AuthenticatedExchange,
  requested: RequestedText,
  shared: TextContext,
): PreparedText {
  const { beginsWithEstimate, body, model } = requested;
  const { choices, returnedChoices = choices } = body.value;
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
    echoed: body.value.echoed,
    generatedPerReturned: choices / returnedChoices,
  };
  const onParsed = (request: JsonObject) => {
    if (body.value.streamed && beginsWithEstimate) known.promptBytes ??= promptBytes(request);
  };
  return { exchange, requested, bounds, meter: new ChatMeter(body.chunks, known), onParsed, shared };
}

/** Returns the maximum input: a token per byte of text, or more if more is reserved. */
function maxInputOf(
  { size, value: { mediaBytes, mediaParts } }: RequestedText['body'],
  { inputTokens }: Units,
  { mediaPartTokens }: RoutedModel,
): number {
  return Math.max(inputTokens, size - mediaBytes + mediaParts * mediaPartTokens);
}

/**
 * Returns the bounds of a request. Measures its text only for a paid model or a limit of tokens.
 * @param hasTokenLimit true: the bounds of a free model count against a rate limit
 */
function boundsOf(
  { body, mayOutliveStream, model }: RequestedText,
  bounded: BoundedChat,
  { models: { table } }: TextContext,
  hasTokenLimit: boolean,
): PreparedText['bounds'] {
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

/** How the providers answer a request. */
export interface TextCall<Request extends { caller: ChatCaller }> {
  request: Request;
  endpoint(protocol: ProviderProtocol): TextEndpoint<Request>;
  isRepeatable(): boolean;
  abandon?(): void;
}

/** Builds the call of a prepared request, streamed or not. */
export function textCall<Request extends { caller: ChatCaller }>(
  { bounds, exchange, meter, requested, shared }: PreparedText,
  { abandon, endpoint, isRepeatable, request }: TextCall<Request>,
): CapabilityCall {
  const { api } = requested;
  const { includeUsage, streamed } = requested.body.value;
  const { caller } = request;
  const reasons = () => shared.reasoningModels.has(requested.model.id);
  const reportTier = (protocol: ProviderProtocol, headers: IncomingHttpHeaders) => {
    const { tierHeader } = endpoint(protocol);
    if (tierHeader !== undefined) meter.reportTierInHeaders(headers[tierHeader]);
  };
  return {
    // Spread first: V8 copies an object quickly only into an empty one.
    ...bounds,
    streamed,
    isRepeatable,
    buildRequest: (protocol, upstreamModel, pace) => {
      // Nothing of an earlier provider's output has gone out.
      meter.restart(runsTools(requested, protocol));
      caller.restart();
      return endpoint(protocol).buildRequest(request, upstreamModel, pace);
    },
    abandon,
    // A stream is aborted at once, and what it sent is known.
    estimateUnread: streamed ? undefined : (ms) => meter.estimateUnread(ms),
    estimateUnused: streamed ? (ms) => meter.usageOfLeftStream(performance.now() - ms, reasons()) : undefined,
    answer: streamed
      ? new EventRelay(exchange, shared.streamTimings, {
          api,
          showsUsage: includeUsage !== false,
          translator: ({ protocol, id }, upstreamModel, headers) => {
            reportTier(protocol, headers);
            return endpoint(protocol).events(request, id, upstreamModel);
          },
          usage: (complete, sentAtMs) =>
            sentAtMs === undefined ? meter.usage(complete) : meter.usageOfLeftStream(sentAtMs, reasons()),
          restart: () => caller.restart(),
          failure: (error) => caller.failure?.(error, exchange.record.id),
          cover: coverOf({ bounds, exchange, meter, requested, shared }),
        })
      : new JsonRelay(
          exchange,
          shared,
          ({ protocol, id }, upstreamModel, headers) => {
            reportTier(protocol, headers);
            return endpoint(protocol).whole(request, id, upstreamModel);
          },
          api,
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
}: Omit<PreparedText, 'onParsed'>): OutputCover | undefined {
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

function runsTools({ api, leavesToolsOut }: RequestedText, protocol: ProviderProtocol): boolean {
  return leavesToolsOut !== true || api === undefined || endpointOf(protocol, 'chat').apis.includes(api);
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
