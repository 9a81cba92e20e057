import { messagesBody } from './messages-body.ts';
import type { PlaygroundApi, PlaygroundChatRequest } from './playground.ts';
import { responsesBody } from './responses-body.ts';

export type RequestBody = Readonly<Record<string, unknown>>;

/** Path of each API below /v1. */
export const PLAYGROUND_PATHS: Record<PlaygroundApi, string> = {
  chat_completions: 'chat/completions',
  messages: 'messages',
  responses: 'responses',
};

/** Builds the body of a chat in the API that it uses: always streamed, with usage. */
export function playgroundBody(chat: PlaygroundChatRequest): RequestBody {
  switch (chat.api) {
    case 'chat_completions':
      return chatCompletionsBody(chat);
    case 'messages':
      return messagesBody(chat);
    case 'responses':
      return responsesBody(chat);
  }
}

function chatCompletionsBody(chat: PlaygroundChatRequest): RequestBody {
  const { model, messages, maxTokens, temperature, tools } = chat;
  return {
    model,
    messages,
    ...(tools === undefined ? {} : { tools }),
    stream: true,
    stream_options: { include_usage: true },
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
  };
}
