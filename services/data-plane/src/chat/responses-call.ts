import {
  type Chat,
  type JsonBody,
  type JsonObject,
  RESPONSES_TO_CHAT,
  RESPONSES_WITHOUT_CARRIED_STATE,
  ResponsesWriter,
} from '@model-gateway/dialects';
import { type ResponsesRequest, responsesRequest } from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { StoredResponses } from '../stored-responses/connect-stored-responses.ts';
import type { CapabilityCall } from '../upstream/capability-call.ts';
import { BackgroundWork } from './background-work.ts';
import { type ChatContext, chatCall, prepareChat } from './chat-call.ts';
import { PassthroughRequest } from './passthrough-request.ts';
import { createRecorder, hideIgnoredStore } from './record-response.ts';
import type { SealedIds } from './sealed-ids.ts';

/** POST /v1/responses, plain and streamed. */
export function responsesCall(
  exchange: AuthenticatedExchange,
  body: JsonBody<ResponsesRequest>,
  model: RoutedModel,
  shared: ChatContext & { sealedIds: SealedIds; storedResponses: StoredResponses | undefined },
  compacts = false,
): CapabilityCall {
  const api = 'responses';
  const options = {
    api,
    body,
    model,
    schema: responsesRequest,
    withoutCarriedState: RESPONSES_WITHOUT_CARRIED_STATE,
  } as const;
  const passthrough = new PassthroughRequest(exchange, options, shared);
  const { affinityKey, key } = exchange.record;
  const { previousResponseId } = body.value;
  const before =
    previousResponseId === undefined ? undefined : shared.sealedIds.open(key.accountId, previousResponseId);
  const recorder = createRecorder(exchange, body, model, shared);
  const background = trackBackgroundWork(body.value, model);
  const prepared = prepareChat(
    exchange,
    {
      api,
      body,
      model,
      fromCaller: RESPONSES_TO_CHAT,
      leavesToolsOut: true,
      mayOutliveStream: background !== undefined && mayBeStored(model),
    },
    shared,
  );
  const { meter, translation } = prepared;
  background?.measureWith(meter);
  const ids = shared.sealedIds.sealer(
    key.accountId,
    model.id,
    hasSeveralCredentials(model) ? affinityKey : undefined,
    () => exchange.guard?.guardrails.filter((id) => model.guardrails?.includes(id) !== true) ?? [],
  );
  const chat: Chat = {
    api,
    body,
    model,
    caller: new ResponsesWriter(meter, { modelId: model.id, request: body.value, ids, store: recorder }),
    translate: recorder === undefined ? translation.written : hideIgnoredStore(translation.written),
    passthroughBody: () => passthrough.body(),
    background,
    previousResponseId: before?.responseId,
    compacts,
  };
  const call = chatCall(prepared, chat, passthrough);
  const beforeEnd = recorder && (() => recorder.save());
  const buildRequest: CapabilityCall['buildRequest'] = (protocol, upstreamModel, pace) => {
    background?.restart();
    return call.buildRequest(protocol, upstreamModel, pace);
  };
  const replaced = recorder && ((response: JsonObject) => recorder.replaced(response));
  return { ...call, buildRequest, background, beforeEnd, replaced, outputField: 'max_output_tokens' };
}

/** Returns true if a provider has several credentials, of which only one may find a stored response. */
function hasSeveralCredentials({ affinity, upstreams }: RoutedModel): boolean {
  return affinity !== 'none' && upstreams.some(({ provider }) => provider.credentials.length > 1);
}

function mayBeStored({ upstreams }: RoutedModel): boolean {
  return upstreams.some(({ provider }) => provider.protocol.endpoints.chat?.providerStored !== undefined);
}

/** POST /v1/responses/compact: a whole response with the items that replace the conversation. */
export const compactionCall: typeof responsesCall = (exchange, body, model, shared) => {
  const value = { ...body.value, store: false };
  // A refusal for lack of balance must not advise a smaller output, which a compaction cannot limit.
  return { ...responsesCall(exchange, { ...body, value }, model, shared, true), defaultOutput: false };
};

/**
 * Tracks paid responses that may go on after the answer: background ones, and stored ones whose stream breaks
 * off.
 * @returns undefined if the rest would cost nothing
 */
function trackBackgroundWork(
  { background, store }: Pick<ResponsesRequest, 'background' | 'store'>,
  { price }: RoutedModel,
): BackgroundWork | undefined {
  return price !== undefined && (background || store) ? new BackgroundWork(background) : undefined;
}
