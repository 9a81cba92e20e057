import {
  type Chat,
  type JsonBody,
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
import { chatCall, prepareChat } from './chat-call.ts';
import type { ChatContext } from './chat-context.ts';
import { PassthroughRequest } from './passthrough-request.ts';
import { recorderFor, withoutIgnoredStore } from './record-response.ts';
import type { SealedIds } from './sealed-ids.ts';

/** POST /v1/responses, plain and streamed. */
export function responsesCall(
  exchange: AuthenticatedExchange,
  body: JsonBody<ResponsesRequest>,
  model: RoutedModel,
  shared: ChatContext & { sealedIds: SealedIds; storedResponses: StoredResponses | undefined },
): CapabilityCall {
  const api = 'responses';
  const options = {
    api,
    body,
    model,
    schema: responsesRequest,
    withoutKept: RESPONSES_WITHOUT_CARRIED_STATE,
  } as const;
  const own = new PassthroughRequest(exchange, options, shared);
  const { key } = exchange.record;
  const { previousResponseId } = body.value;
  const before =
    previousResponseId === undefined ? undefined : shared.sealedIds.open(key.accountId, previousResponseId);
  const recorder = recorderFor(exchange, body, model, shared);
  const background = workAfterAnswer(body.value, model);
  const prepared = prepareChat(
    exchange,
    { api, body, model, fromCaller: RESPONSES_TO_CHAT, leavesToolsOut: true },
    shared,
  );
  const { meter, translation } = prepared;
  background?.measureWith(meter);
  const ids = shared.sealedIds.sealer(key.accountId, model.id);
  const chat: Chat = {
    api,
    body,
    model,
    caller: new ResponsesWriter(meter, { modelId: model.id, request: body.value, ids, recorder }),
    written: recorder === undefined ? translation.written : withoutIgnoredStore(translation.written),
    passed: () => own.passed(),
    background,
    previousResponseId: before?.responseId,
  };
  const call = chatCall(prepared, chat, own);
  const beforeEnd = recorder && (() => recorder.keep());
  const ask: CapabilityCall['ask'] = (protocol, upstreamModel, pace) => {
    background?.restart();
    return call.ask(protocol, upstreamModel, pace);
  };
  return { ...call, ask, background, beforeEnd, outputField: 'max_output_tokens' };
}

/**
 * Providers may work on where a response runs in the background, and where they keep one whose answer breaks
 * off: its caller can read it later.
 * @returns undefined where that costs nothing
 */
function workAfterAnswer(
  { background, store }: Pick<ResponsesRequest, 'background' | 'store'>,
  { price }: RoutedModel,
): BackgroundWork | undefined {
  return price !== undefined && (background || store) ? new BackgroundWork(background) : undefined;
}
