import type { PlaygroundChatRequest } from '../../wire/playground.ts';

/** Builds the body of POST /v1/chat/completions: always streamed, with usage. */
export function chatCompletionsBody({
  model,
  messages,
  maxTokens,
  temperature,
}: PlaygroundChatRequest): string {
  return JSON.stringify({
    model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
  });
}
