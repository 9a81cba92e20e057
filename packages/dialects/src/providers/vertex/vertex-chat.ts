import type { ChatEndpoint } from '../../interfaces/provider-protocol.ts';
import { anthropicChat } from '../anthropic/anthropic-chat.ts';
import { geminiChat, geminiChatRequest } from '../gemini/gemini-chat.ts';
import { vertexClaudeRequest } from './vertex-claude.ts';
import { vertexCountTokens } from './vertex-count-tokens.ts';
import { isVertexClaude, vertexModelPath } from './vertex-model-path.ts';

/** Models of Anthropic have Messages, all others generateContent. */
export const vertexChat: ChatEndpoint = {
  // Requests for models of Anthropic pass unchanged, except for the model, which is in the path.
  apis: ['messages'],
  cachesMarkedOnly: true,
  buildRequest: (chat, upstreamModel) =>
    isVertexClaude(upstreamModel)
      ? vertexClaudeRequest(chat, upstreamModel)
      : geminiChatRequest(chat, upstreamModel, vertexModelPath),
  events: (chat, providerId, upstreamModel) =>
    responsesOf(upstreamModel).events(chat, providerId, upstreamModel),
  whole: (chat, providerId, upstreamModel) =>
    responsesOf(upstreamModel).whole(chat, providerId, upstreamModel),
  count: vertexCountTokens,
};

function responsesOf(upstreamModel: string): Pick<ChatEndpoint, 'events' | 'whole'> {
  return isVertexClaude(upstreamModel) ? anthropicChat : geminiChat;
}
