import { askWritten } from '../ask-written.ts';
import type { Chat } from '../chat.ts';
import type { Asked, ChatEndpoint } from '../dialect.ts';
import { EVENTS, JSON_TYPE } from '../json-body.ts';
import { ContentEvents } from './answer/content-events.ts';
import { translatedContent } from './answer/whole-content.ts';
import { count } from './count.ts';
import { modelPath } from './model-path.ts';
import { CONTENT_FROM_COMPLETIONS } from './request/content-translation.ts';

/** generateContent, which no caller speaks: all chats are translated. */
export const chat: ChatEndpoint = {
  apis: [],
  ask: (chat, upstreamModel) => askContent(chat, upstreamModel, modelPath),
  events: (chat) => new ContentEvents(chat.caller, chat.model.id),
  whole: (chat) => translatedContent(chat.caller, chat.model.id),
  count,
};

/** @param pathOf the path of a method of a model, below the base URL */
export function askContent(
  chat: Chat,
  upstreamModel: string,
  pathOf: (upstreamModel: string, method: string) => string,
): Asked | Promise<Asked> {
  const written = chat.written(upstreamModel, CONTENT_FROM_COMPLETIONS);
  return askWritten(
    chat.body.value.streamed
      ? { path: pathOf(upstreamModel, 'streamGenerateContent?alt=sse'), accept: EVENTS }
      : { path: pathOf(upstreamModel, 'generateContent'), accept: JSON_TYPE },
    written,
  );
}
