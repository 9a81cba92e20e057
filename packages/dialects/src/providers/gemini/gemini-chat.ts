import type { Chat } from '../../interfaces/chat.ts';
import type { ChatEndpoint, UpstreamRequest } from '../../interfaces/provider-protocol.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { EVENTS, JSON_TYPE } from '../shared/write-json-body.ts';
import { CHAT_TO_GEMINI } from './convert-chat-to-gemini.ts';
import { convertGeminiResponseToChat } from './convert-gemini-response-to-chat.ts';
import { GeminiStreamToChat } from './convert-gemini-stream-to-chat.ts';
import { geminiCountTokens } from './gemini-count-tokens.ts';
import { geminiModelPath } from './gemini-model-path.ts';

/** generateContent. */
export const geminiChat: ChatEndpoint = {
  apis: [],
  buildRequest: (chat, upstreamModel) => geminiChatRequest(chat, upstreamModel, geminiModelPath),
  events: (chat) => new GeminiStreamToChat(chat.caller, chat.model.id),
  whole: (chat) => convertGeminiResponseToChat(chat.caller, chat.model.id),
  count: geminiCountTokens,
};

/** @param pathOf returns the path of a method of a model */
export function geminiChatRequest(
  chat: Chat,
  upstreamModel: string,
  pathOf: (upstreamModel: string, method: string) => string,
): UpstreamRequest | Promise<UpstreamRequest> {
  const written = chat.translate(upstreamModel, CHAT_TO_GEMINI);
  return buildTranslatedRequest(
    chat.body.value.streamed
      ? { path: pathOf(upstreamModel, 'streamGenerateContent?alt=sse'), accept: EVENTS }
      : { path: pathOf(upstreamModel, 'generateContent'), accept: JSON_TYPE },
    written,
  );
}
