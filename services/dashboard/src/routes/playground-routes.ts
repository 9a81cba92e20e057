import { playgroundChatRequest } from '../../wire/playground.ts';
import { PLAYGROUND_PATHS, playgroundBody } from '../../wire/playground-body.ts';
import type { DashboardContext } from '../context.ts';
import { parseRequest } from '../http/parse-request.ts';
import { forwardChat } from '../playground/forward-chat.ts';
import { requiredLabels } from '../playground/required-labels.ts';
import { type ApiRoute, holderRoute } from './api-route.ts';

/** The page attaches pictures of 6 MB together, which are 8 MB in base64. */
const MAX_CHAT_BYTES = 10 * 1024 * 1024;

export function playgroundRoutes({ config, playgroundKeys }: DashboardContext): ApiRoute[] {
  return [
    holderRoute(
      'developer',
      'POST',
      '/api/playground/chat',
      async ({ res, session, user, accountId, body, reads, gone }) => {
        const chat = parseRequest(playgroundChatRequest, body);
        const payer = { sessionId: session.id, user, seatId: chat.seatId };
        await forwardChat(res, {
          url: `${config.apiInternalUrl}/v1/${PLAYGROUND_PATHS[chat.api]}`,
          body: JSON.stringify(playgroundBody(chat)),
          gone,
          rawKey: (rejected) => playgroundKeys.rawKey(payer, rejected),
          labels: (code) => requiredLabels(reads, { accountId, seatId: chat.seatId }, code),
        });
      },
      // A chat counts against the rate limit of its key, not against the account's limit of changes.
      { maxBodyBytes: MAX_CHAT_BYTES, isChange: false },
    ),
  ];
}
