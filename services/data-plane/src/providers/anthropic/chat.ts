import { askWritten } from '../ask-written.ts';
import type { ChatEndpoint } from '../dialect.ts';
import { EVENTS, JSON_TYPE, jsonProviderBody } from '../json-body.ts';
import { translatedMessage } from './completion.ts';
import { CompletionEvents } from './completion-events.ts';
import { count } from './count.ts';
import { MESSAGES_FROM_COMPLETIONS } from './messages-translation.ts';
import { PassedEvents } from './passed-events.ts';
import { passedMessage } from './passed-message.ts';

/** Messages: they pass to and from callers of that API, and are translated for all others. */
export const chat: ChatEndpoint = {
  api: 'messages',
  ask: (chat, upstreamModel) => {
    const accept = chat.body.value.streamed ? EVENTS : JSON_TYPE;
    if (chat.api !== 'messages') {
      const written = chat.written(upstreamModel, MESSAGES_FROM_COMPLETIONS);
      return askWritten({ path: '/messages', accept }, written);
    }
    const path = chat.beta ? '/messages?beta=true' : '/messages';
    return { path, accept, body: jsonProviderBody(chat.body, upstreamModel), isOwnApi: true };
  },
  events: (chat) =>
    chat.api === 'messages'
      ? new PassedEvents(chat.caller, chat.model.id)
      : new CompletionEvents(chat.caller, chat.model.id),
  whole: (chat) =>
    chat.api === 'messages'
      ? passedMessage(chat.caller, chat.model.id)
      : translatedMessage(chat.caller, chat.model.id),
  count,
};
