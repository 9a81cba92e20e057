import type { ChatEndpoint } from '../../interfaces/provider-protocol.ts';
import { buildPassthroughRequest } from '../shared/build-passthrough-request.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { EVENTS, JSON_TYPE, jsonProviderBody } from '../shared/write-json-body.ts';
import { anthropicCountTokens } from './anthropic-count-tokens.ts';
import { convertAnthropicMessageToChat } from './convert-anthropic-message-to-chat.ts';
import { AnthropicStreamToChat } from './convert-anthropic-stream-to-chat.ts';
import { CHAT_TO_ANTHROPIC } from './convert-chat-to-anthropic.ts';
import { anthropicPassthroughMessage } from './passthrough-anthropic-message.ts';
import { AnthropicPassthroughStream } from './passthrough-anthropic-stream.ts';
import { ANTHROPIC_PASSTHROUGH } from './read-anthropic-error.ts';

export const anthropicChat: ChatEndpoint = {
  apis: ['messages'],
  cachesMarkedOnly: true,
  buildRequest: (chat, upstreamModel) => {
    const accept = chat.body.value.streamed ? EVENTS : JSON_TYPE;
    if (chat.api !== 'messages') {
      const written = chat.translate(upstreamModel, CHAT_TO_ANTHROPIC);
      return buildTranslatedRequest({ path: '/messages', accept }, written);
    }
    const path = chat.beta ? '/messages?beta=true' : '/messages';
    return buildPassthroughRequest(chat.passthroughBody(), (body) => ({
      path,
      accept,
      body: jsonProviderBody(body, upstreamModel),
      ...ANTHROPIC_PASSTHROUGH,
    }));
  },
  events: (chat) =>
    chat.api === 'messages'
      ? new AnthropicPassthroughStream(chat.caller, chat.model.id)
      : new AnthropicStreamToChat(chat.caller, chat.model.id),
  whole: (chat) =>
    chat.api === 'messages'
      ? anthropicPassthroughMessage(chat.caller, chat.model.id)
      : convertAnthropicMessageToChat(chat.caller, chat.model.id),
  count: anthropicCountTokens,
};
