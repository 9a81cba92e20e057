import { askPassed } from '../ask-passed.ts';
import { askWritten } from '../ask-written.ts';
import type { ChatEndpoint } from '../dialect.ts';
import { EVENTS, JSON_TYPE, jsonProviderBody } from '../json-body.ts';
import { translatedMessage } from './answer/completion.ts';
import { CompletionEvents } from './answer/completion-events.ts';
import { PassedEvents } from './answer/passed-events.ts';
import { passedMessage } from './answer/passed-message.ts';
import { count } from './count.ts';
import { MESSAGES_FROM_COMPLETIONS } from './request/messages-translation.ts';

/** Messages: they pass to and from callers of that API, and are translated for all others. */
export const chat: ChatEndpoint = {
  apis: ['messages'],
  ask: (chat, upstreamModel) => {
    const accept = chat.body.value.streamed ? EVENTS : JSON_TYPE;
    if (chat.api !== 'messages') {
      const written = chat.written(upstreamModel, MESSAGES_FROM_COMPLETIONS);
      return askWritten({ path: '/messages', accept }, written);
    }
    const path = chat.beta ? '/messages?beta=true' : '/messages';
    return askPassed(chat.passed(), (body) => ({
      path,
      accept,
      body: jsonProviderBody(body, upstreamModel),
      isOwnApi: true,
    }));
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
