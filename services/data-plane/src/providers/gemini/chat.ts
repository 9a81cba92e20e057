import { askWritten } from '../ask-written.ts';
import type { ChatEndpoint } from '../dialect.ts';
import { EVENTS, JSON_TYPE } from '../json-body.ts';
import { ContentEvents } from './answer/content-events.ts';
import { translatedContent } from './answer/whole-content.ts';
import { count } from './count.ts';
import { modelPath } from './model-path.ts';
import { CONTENT_FROM_COMPLETIONS } from './request/content-translation.ts';

/** generateContent, which no caller speaks: all chats are translated. */
export const chat: ChatEndpoint = {
  apis: [],
  ask: (chat, upstreamModel) => {
    const written = chat.written(upstreamModel, CONTENT_FROM_COMPLETIONS);
    return askWritten(
      chat.body.value.streamed
        ? { path: modelPath(upstreamModel, 'streamGenerateContent?alt=sse'), accept: EVENTS }
        : { path: modelPath(upstreamModel, 'generateContent'), accept: JSON_TYPE },
      written,
    );
  },
  events: (chat) => new ContentEvents(chat.caller, chat.model.id),
  whole: (chat) => translatedContent(chat.caller, chat.model.id),
  count,
};
