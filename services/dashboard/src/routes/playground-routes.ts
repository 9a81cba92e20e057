import { type PlaygroundChatRequest, playgroundChatRequest } from '../../wire/playground.ts';
import type { DashboardContext } from '../context.ts';
import { parseRequest } from '../http/parse-request.ts';
import { forwardChat } from '../playground/forward-chat.ts';
import { type ApiRoute, holderRoute } from './api-route.ts';

const MAX_CHAT_BYTES = 1024 * 1024;

export function playgroundRoutes({ config, playgroundKeys }: DashboardContext): ApiRoute[] {
  return [
    holderRoute(
      'POST',
      '/api/playground/chat',
      async ({ res, session, user, body }) => {
        const chat = parseRequest(playgroundChatRequest, body);
        const payer = { sessionId: session.id, user, seatId: chat.seatId };
        await forwardChat(res, {
          apiUrl: config.apiInternalUrl,
          body: chatCompletionsBody(chat),
          rawKey: (rejected) => playgroundKeys.rawKey(payer, rejected),
        });
      },
      // A chat counts against the rate limit of its key, not against the account's limit of changes.
      { maxBodyBytes: MAX_CHAT_BYTES, isChange: false },
    ),
  ];
}

/** Builds the body of POST /v1/chat/completions: always streamed, with usage. */
function chatCompletionsBody({ model, messages, maxTokens, temperature }: PlaygroundChatRequest): string {
  return JSON.stringify({
    model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
  });
}
