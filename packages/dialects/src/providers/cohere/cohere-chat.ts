import type { ChatEndpoint } from '../../interfaces/provider-protocol.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { EVENTS, JSON_TYPE } from '../shared/write-json-body.ts';
import { CHAT_TO_COHERE } from './convert-chat-to-cohere.ts';
import { convertCohereResponseToChat } from './convert-cohere-response-to-chat.ts';
import { CohereStreamToChat } from './convert-cohere-stream-to-chat.ts';

/** POST /v2/chat. */
export const cohereChat: ChatEndpoint = {
  apis: [],
  buildRequest: (chat, upstreamModel) =>
    buildTranslatedRequest(
      { path: '/v2/chat', accept: chat.body.value.streamed ? EVENTS : JSON_TYPE },
      chat.translate(upstreamModel, CHAT_TO_COHERE),
    ),
  events: (chat) => new CohereStreamToChat(chat.caller, chat.model.id),
  whole: (chat) => convertCohereResponseToChat(chat.caller, chat.model.id),
};
