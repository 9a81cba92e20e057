import type { Chat } from '../../interfaces/chat.ts';
import type { ChatEndpoint, UpstreamRequest } from '../../interfaces/provider-protocol.ts';
import type { Translation } from '../../translation/translation.ts';
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
  buildRequest: (chat, upstreamModel) =>
    geminiChatRequest(chat, upstreamModel, { pathOf: geminiModelPath, translation: CHAT_TO_GEMINI }),
  events: (chat) => new GeminiStreamToChat(chat.caller, chat.model.id),
  whole: (chat) => convertGeminiResponseToChat(chat.caller, chat.model.id),
  count: geminiCountTokens,
  tierHeader: 'x-gemini-service-tier',
};

interface GeminiPlatform {
  /** Returns the path of a method of a model. */
  pathOf: (upstreamModel: string, method: string) => string;
  translation: Translation;
  headers?: Readonly<Record<string, string>>;
}

export function geminiChatRequest(
  chat: Chat,
  upstreamModel: string,
  { headers, pathOf, translation }: GeminiPlatform,
): UpstreamRequest | Promise<UpstreamRequest> {
  const written = chat.translate(upstreamModel, translation);
  const head = chat.body.value.streamed
    ? { path: pathOf(upstreamModel, 'streamGenerateContent?alt=sse'), accept: EVENTS }
    : { path: pathOf(upstreamModel, 'generateContent'), accept: JSON_TYPE };
  return buildTranslatedRequest(headers === undefined ? head : { ...head, headers }, written);
}
