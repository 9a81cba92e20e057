import { translatedRequest } from '../ask-written.ts';
import type { Chat } from '../chat.ts';
import type { Asked, ChatEndpoint } from '../dialect.ts';
import { EVENTS, JSON_TYPE } from '../json-body.ts';
import { GeminiStreamToChat } from './answer/content-events.ts';
import { convertGeminiResponseToChat } from './answer/whole-content.ts';
import { geminiCountTokens } from './count.ts';
import { geminiModelPath } from './model-path.ts';
import { CHAT_TO_GEMINI } from './request/content-translation.ts';

/** generateContent, which no caller speaks: all chats are translated. */
export const geminiChat: ChatEndpoint = {
  apis: [],
  ask: (chat, upstreamModel) => geminiChatRequest(chat, upstreamModel, geminiModelPath),
  events: (chat) => new GeminiStreamToChat(chat.caller, chat.model.id),
  whole: (chat) => convertGeminiResponseToChat(chat.caller, chat.model.id),
  count: geminiCountTokens,
};

/** @param pathOf the path of a method of a model, below the base URL */
export function geminiChatRequest(
  chat: Chat,
  upstreamModel: string,
  pathOf: (upstreamModel: string, method: string) => string,
): Asked | Promise<Asked> {
  const written = chat.written(upstreamModel, CHAT_TO_GEMINI);
  return translatedRequest(
    chat.body.value.streamed
      ? { path: pathOf(upstreamModel, 'streamGenerateContent?alt=sse'), accept: EVENTS }
      : { path: pathOf(upstreamModel, 'generateContent'), accept: JSON_TYPE },
    written,
  );
}
