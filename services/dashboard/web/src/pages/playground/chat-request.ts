import type { PlaygroundChatRequest } from '../../../../wire/playground.ts';
import { type ChatSettings, readSettings } from './chat-settings.ts';
import { buildMessages, type ChatTurn, type Question } from './chat-turn.ts';

/** Builds the request of a question. @param before the turns before it */
export function chatRequest(
  before: readonly ChatTurn[],
  question: Question,
  settings: ChatSettings,
): PlaygroundChatRequest {
  return {
    api: settings.api,
    model: settings.model,
    messages: buildMessages(settings.system, before, question),
    ...readSettings(settings).options,
  };
}
