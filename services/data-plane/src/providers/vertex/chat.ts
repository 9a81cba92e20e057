import { chat as messages } from '../anthropic/chat.ts';
import type { ChatEndpoint } from '../dialect.ts';
import { askContent, chat as content } from '../gemini/chat.ts';
import { askClaude } from './claude/claude.ts';
import { count } from './count.ts';
import { isClaude, modelPath } from './model-path.ts';

/** By the model: those of Anthropic are asked in Messages, all others in generateContent. */
export const chat: ChatEndpoint = {
  // Of the models of Anthropic: their requests pass as they came, but for the model, which is in the path.
  apis: ['messages'],
  ask: (chat, upstreamModel) =>
    isClaude(upstreamModel) ? askClaude(chat, upstreamModel) : askContent(chat, upstreamModel, modelPath),
  events: (chat, providerId, upstreamModel) =>
    answersOf(upstreamModel).events(chat, providerId, upstreamModel),
  whole: (chat, providerId, upstreamModel) => answersOf(upstreamModel).whole(chat, providerId, upstreamModel),
  count,
};

function answersOf(upstreamModel: string): Pick<ChatEndpoint, 'events' | 'whole'> {
  return isClaude(upstreamModel) ? messages : content;
}
