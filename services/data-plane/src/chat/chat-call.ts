import { type Chat, type ChatApi, endpointOf, type Translation } from '@model-gateway/dialects';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { CapabilityCall } from '../upstream/capability-call.ts';
import type { PassthroughContext, PassthroughRequest } from './passthrough-request.ts';
import { RequestTranslation } from './request-translation.ts';
import {
  type PreparedText,
  prepareText,
  type RequestedText,
  type TextContext,
  textCall,
} from './text-call.ts';

/** Parts that all chats share, in every API. */
export interface ChatContext extends TextContext, PassthroughContext {}

export interface RequestedChat extends RequestedText {
  api: ChatApi;
  /** Translation from the caller API to Chat Completions. */
  fromCaller: Translation;
}

export interface PreparedChat extends Pick<PreparedText, 'meter'> {
  text: PreparedText;
  translation: RequestTranslation;
}

export function prepareChat(
  exchange: AuthenticatedExchange,
  requested: RequestedChat,
  shared: ChatContext,
): PreparedChat {
  const { api, body, fromCaller, model } = requested;
  const text = prepareText(exchange, requested, shared);
  const { meter, onParsed } = text;
  const translation = new RequestTranslation(exchange, { api, body, model, fromCaller, onParsed }, shared);
  return { meter, text, translation };
}

/**
 * Builds the call of a prepared chat, streamed or not.
 * @param passthrough builds the body for providers of the caller's API; left out: it passes unchanged
 */
export function chatCall(
  { text, translation }: PreparedChat,
  chat: Chat,
  passthrough?: Pick<PassthroughRequest<unknown>, 'abandon' | 'isRepeatable'>,
): CapabilityCall {
  return textCall(text, {
    request: chat,
    endpoint: (protocol) => endpointOf(protocol, 'chat'),
    isRepeatable: () => translation.isRepeatable && passthrough?.isRepeatable !== false,
    abandon: () => {
      translation.abandon();
      passthrough?.abandon();
    },
  });
}
