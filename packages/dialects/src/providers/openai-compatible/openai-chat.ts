import { CALLERS_NOTES } from '@model-gateway/shared';
import type { ChatEndpoint } from '../../interfaces/provider-protocol.ts';
import type { JsonTranslator } from '../../interfaces/response-translators.ts';
import { parseChatChunk, parseChatResponse } from '../../usage/parse-chat-response.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { EVENTS, JSON_TYPE, jsonProviderBody } from '../shared/write-json-body.ts';

const DONE = '[DONE]';

/** Chat Completions: answers have the shape that callers are told them in, and pass as they came. */
export const openAiChat: ChatEndpoint = {
  apis: ['chat-completions'],
  /** A stream is always asked for its usage, because the gateway bills by it. */
  ask: (chat, upstreamModel) => {
    const asked = { path: '/chat/completions', accept: chat.body.value.streamed ? EVENTS : JSON_TYPE };
    if (chat.api !== 'chat-completions') return buildTranslatedRequest(asked, chat.written(upstreamModel));
    const { streamOptionsJson } = chat.body.value;
    const edits =
      streamOptionsJson === undefined
        ? { [CALLERS_NOTES]: undefined }
        : { [CALLERS_NOTES]: undefined, stream_options: streamOptionsJson };
    return { ...asked, body: jsonProviderBody(chat.body, upstreamModel, edits) };
  },
  events: ({ caller }) => ({
    translate: (data) =>
      data === DONE
        ? { text: caller.end(), done: true }
        : { text: caller.chunk(parseChatChunk(data), data), done: false },
    mayEnd: false,
    rest: '',
  }),
  whole: (chat) => {
    const whole: JsonTranslator['whole'] = (value, text) =>
      chat.caller.completion(parseChatResponse(value), text);
    if (chat.api !== 'chat-completions') return { whole };
    return { whole, outline: { within: 'choices', depth: 3 }, large: (answer) => chat.caller.large(answer) };
  },
};
