import { passthroughRequest } from '../ask-passed.ts';
import { translatedRequest } from '../ask-written.ts';
import type { ChatEndpoint } from '../dialect.ts';
import { EVENTS, JSON_TYPE, jsonProviderBody } from '../json-body.ts';
import { convertAnthropicMessageToChat } from './answer/completion.ts';
import { AnthropicStreamToChat } from './answer/completion-events.ts';
import { AnthropicPassthroughStream } from './answer/passed-events.ts';
import { anthropicPassthroughMessage } from './answer/passed-message.ts';
import { anthropicCountTokens } from './count.ts';
import { CHAT_TO_ANTHROPIC } from './request/messages-translation.ts';

/** Messages: they pass to and from callers of that API, and are translated for all others. */
export const anthropicChat: ChatEndpoint = {
  apis: ['messages'],
  ask: (chat, upstreamModel) => {
    const accept = chat.body.value.streamed ? EVENTS : JSON_TYPE;
    if (chat.api !== 'messages') {
      const written = chat.written(upstreamModel, CHAT_TO_ANTHROPIC);
      return translatedRequest({ path: '/messages', accept }, written);
    }
    const path = chat.beta ? '/messages?beta=true' : '/messages';
    return passthroughRequest(chat.passed(), (body) => ({
      path,
      accept,
      body: jsonProviderBody(body, upstreamModel),
      isOwnApi: true,
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
