import {
  asksForBeta,
  type Chat,
  type JsonBody,
  MESSAGES_FOR_CLOUDS,
  MESSAGES_TO_CHAT,
  MESSAGES_WITHOUT_CARRIED_STATE,
  MessagesWriter,
  readBetas,
} from '@model-gateway/dialects';
import { type MessagesRequest, messagesRequest } from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { CapabilityCall } from '../upstream/capability-call.ts';
import { type ChatContext, chatCall, prepareChat } from './chat-call.ts';
import { PassthroughRequest } from './passthrough-request.ts';

/** POST /v1/messages, plain and streamed. */
export function messagesCall(
  exchange: AuthenticatedExchange,
  body: JsonBody<MessagesRequest>,
  model: RoutedModel,
  shared: ChatContext,
): CapabilityCall {
  const api = 'messages';
  const options = {
    api,
    body,
    model,
    schema: messagesRequest,
    withoutCarriedState: MESSAGES_WITHOUT_CARRIED_STATE,
    ...(body.value.hasOwnApiMembers ? { forClouds: MESSAGES_FOR_CLOUDS } : {}),
  } as const;
  const own = new PassthroughRequest(exchange, options, shared);
  const prepared = prepareChat(
    exchange,
    { api, body, model, fromCaller: MESSAGES_TO_CHAT, beginsWithEstimate: true },
    shared,
  );
  const chat: Chat = {
    api,
    body,
    model,
    caller: new MessagesWriter(prepared.meter, model.id, body.value.toolNames),
    translate: prepared.translation.written,
    passthroughBody: (receiver) => own.body(receiver),
    beta: asksForBeta(exchange.req),
    betas: readBetas(exchange.req),
  };
  return chatCall(prepared, chat, own);
}
