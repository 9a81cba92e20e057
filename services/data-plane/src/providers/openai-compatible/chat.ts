import { chatCompletion, parseChatChunk } from '../../chat/chat-answer.ts';
import type { ChatEndpoint } from '../dialect.ts';
import { EVENTS, JSON_TYPE, jsonProviderBody } from './json-body.ts';

const DONE = '[DONE]';

/** Chat Completions: answers have the shape that callers are told them in, and pass as they came. */
export const chat: ChatEndpoint = {
  /** A stream is always asked for its usage, because the gateway bills by it. */
  ask: (body, upstreamModel) => {
    const { streamed, streamOptionsJson } = body.value;
    return {
      path: '/chat/completions',
      accept: streamed ? EVENTS : JSON_TYPE,
      body: jsonProviderBody(
        body,
        upstreamModel,
        streamOptionsJson === undefined ? {} : { stream_options: streamOptionsJson },
      ),
    };
  },
  events: (caller) => ({
    translate: (data) =>
      data === DONE
        ? { text: caller.end(), done: true }
        : { text: caller.chunk(parseChatChunk(data), data), done: false },
    mayEnd: false,
    rest: '',
  }),
  whole: (caller) => ({
    whole: (value, text) => caller.completion(chatCompletion(value), text),
    outline: { within: 'choices', depth: 3 },
    large: (answer) => caller.large(answer),
  }),
};
