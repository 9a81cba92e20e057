import type { PlaygroundChatRequest } from '../../wire/playground.ts';

/** The request in the form of the gateway: always streamed, with the usage at its end. */
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
