import { translatedRequest } from '../ask-written.ts';
import type { ChatEndpoint } from '../dialect.ts';
import { EVENTS, JSON_TYPE } from '../json-body.ts';
import { CohereStreamToChat } from './answer/chat-events.ts';
import { convertCohereResponseToChat } from './answer/whole-chat.ts';
import { CHAT_TO_COHERE } from './request/chat-translation.ts';

/** POST /v2/chat: no caller speaks it, so every chat is translated. */
export const cohereChat: ChatEndpoint = {
  apis: [],
  ask: (chat, upstreamModel) =>
    translatedRequest(
      { path: '/v2/chat', accept: chat.body.value.streamed ? EVENTS : JSON_TYPE },
      chat.written(upstreamModel, CHAT_TO_COHERE),
    ),
  events: (chat) => new CohereStreamToChat(chat.caller, chat.model.id),
  whole: (chat) => convertCohereResponseToChat(chat.caller, chat.model.id),
};
