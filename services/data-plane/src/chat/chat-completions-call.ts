import { CHAT_TO_CHAT, ChatCompletionsWriter, type JsonBody } from '@model-gateway/dialects';
import type { ChatCompletionsRequest } from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { CapabilityCall } from '../upstream/capability-call.ts';
import { type ChatContext, chatCall, prepareChat } from './chat-call.ts';

/** POST /v1/chat/completions, plain and streamed. */
export function chatCompletionsCall(
  exchange: AuthenticatedExchange,
  body: JsonBody<ChatCompletionsRequest>,
  model: RoutedModel,
  shared: ChatContext,
): CapabilityCall {
  const api = 'chat-completions';
  const prepared = prepareChat(exchange, { api, body, model, fromCaller: CHAT_TO_CHAT }, shared);
  const { meter, translation } = prepared;
  const caller = new ChatCompletionsWriter(meter, model.id, body.value.includeUsage);
  return chatCall(prepared, { api, body, model, caller, translate: translation.written });
}
