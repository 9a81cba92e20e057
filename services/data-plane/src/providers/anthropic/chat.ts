import { CALLERS_NOTES } from '@model-gateway/shared';
import type { Chat } from '../chat.ts';
import type { Asked, ChatEndpoint } from '../dialect.ts';
import { EVENTS, JSON_TYPE, jsonProviderBody, writtenBody } from '../json-body.ts';
import { translatedMessage } from './completion.ts';
import { CompletionEvents } from './completion-events.ts';
import { count } from './count.ts';
import { messagesRequest } from './messages-request.ts';
import { PassedEvents } from './passed-events.ts';
import { passedMessage } from './passed-message.ts';

/** Messages: they pass to and from callers of that API, and are translated for all others. */
export const chat: ChatEndpoint = {
  ask: (chat, upstreamModel) => ({
    accept: chat.body.value.streamed ? EVENTS : JSON_TYPE,
    ...asked(chat, upstreamModel),
  }),
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

function asked(chat: Chat, upstreamModel: string): Omit<Asked, 'accept'> {
  if (chat.api === 'messages') {
    const path = chat.beta ? '/messages?beta=true' : '/messages';
    return { path, body: jsonProviderBody(chat.body, upstreamModel), isOwnApi: true };
  }
  const { request, ignored } = chat.completions();
  const { [CALLERS_NOTES]: _notes, ...asked } = request;
  const translated = messagesRequest(asked, chat.model, upstreamModel);
  return {
    path: '/messages',
    body: writtenBody({ ...translated.request, model: upstreamModel }),
    ignored: [...ignored, ...translated.ignored],
  };
}
