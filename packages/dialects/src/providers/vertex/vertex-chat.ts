import type { Chat } from '../../interfaces/chat.ts';
import type { ChatEndpoint } from '../../interfaces/provider-protocol.ts';
import { anthropicChat } from '../anthropic/anthropic-chat.ts';
import { CHAT_TO_VERTEX_GEMINI } from '../gemini/convert-chat-to-gemini.ts';
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
      : geminiChatRequest(chat, upstreamModel, {
          pathOf: vertexModelPath,
          translation: CHAT_TO_VERTEX_GEMINI,
          ...tierHeaders(chat),
        }),
  events: (chat, providerId, upstreamModel) =>
    responsesOf(upstreamModel).events(chat, providerId, upstreamModel),
  whole: (chat, providerId, upstreamModel) =>
    responsesOf(upstreamModel).whole(chat, providerId, upstreamModel),
  count: vertexCountTokens,
};

/**
 * Provisioned throughput counts first, and the tier is that of what exceeds it. Source: "Priority PayGo" and
 * "Flex PayGo" in Google's documentation. Other tiers are refused by the translation.
 */
function tierHeaders({ body }: Chat): { headers?: Record<string, string> } {
  const { serviceTier } = body.value;
  if (serviceTier !== 'flex' && serviceTier !== 'priority') return {};
  return { headers: { 'x-vertex-ai-llm-shared-request-type': serviceTier } };
}

function responsesOf(upstreamModel: string): Pick<ChatEndpoint, 'events' | 'whole'> {
  return isVertexClaude(upstreamModel) ? anthropicChat : geminiChat;
}
