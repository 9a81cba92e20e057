import { askWritten } from '../ask-written.ts';
import type { ChatEndpoint } from '../dialect.ts';
import { EVENTS, JSON_TYPE } from '../json-body.ts';
import { ChatEvents } from './answer/chat-events.ts';
import { translatedChat } from './answer/whole-chat.ts';
import { COHERE_CHAT_FROM_COMPLETIONS } from './request/chat-translation.ts';

/** POST /v2/chat: no caller speaks it, so every chat is translated. */
export const chat: ChatEndpoint = {
  apis: [],
  ask: (chat, upstreamModel) =>
    askWritten(
      { path: '/v2/chat', accept: chat.body.value.streamed ? EVENTS : JSON_TYPE },
      chat.written(upstreamModel, COHERE_CHAT_FROM_COMPLETIONS),
    ),
  events: (chat) => new ChatEvents(chat.caller, chat.model.id),
  whole: (chat) => translatedChat(chat.caller, chat.model.id),
};
