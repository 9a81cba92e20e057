import type { PlaygroundChatRequest } from './playground.ts';

/** Builds the body of POST /v1/chat/completions: always streamed, with usage. */
export function chatCompletionsBody(chat: PlaygroundChatRequest) {
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
