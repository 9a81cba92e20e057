import type { Chat } from '../../interfaces/chat.ts';
import type { Asked, ChatEndpoint } from '../../interfaces/provider-protocol.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';
import { EVENT_STREAM, loadEventStreams } from './aws-event-stream.ts';
import { bedrockClaudeMessage, bedrockClaudeRequest, bedrockClaudeStream } from './bedrock-claude.ts';
import { bedrockCountTokens } from './bedrock-count-tokens.ts';
import { isBedrockClaude } from './bedrock-model-names.ts';
import { converseMessage, converseRequest, converseStream } from './converse.ts';

/** By the model: those of Anthropic are asked in Messages, all others in Converse. */
export const bedrockChat: ChatEndpoint = {
  // Requests for models of Anthropic pass unchanged, except for members that Bedrock refuses.
  apis: ['messages'],
  ask: (chat, upstreamModel) => {
    const { streamed } = chat.body.value;
    const loading = streamed ? loadEventStreams() : undefined;
    const ask = () => asked(chat, upstreamModel, streamed ? EVENT_STREAM : JSON_TYPE);
    return loading === undefined ? ask() : loading.then(ask);
  },
  events: (chat, _providerId, upstreamModel) =>
    isBedrockClaude(upstreamModel) ? bedrockClaudeStream(chat) : converseStream(chat),
  whole: (chat, _providerId, upstreamModel) =>
    isBedrockClaude(upstreamModel) ? bedrockClaudeMessage(chat) : converseMessage(chat),
  count: bedrockCountTokens,
};

function asked(chat: Chat, upstreamModel: string, accept: string): Asked | Promise<Asked> {
  return isBedrockClaude(upstreamModel)
    ? bedrockClaudeRequest(chat, upstreamModel, accept)
    : converseRequest(chat, upstreamModel, accept);
}
