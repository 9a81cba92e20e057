import type { ChatEndpoint } from '../../interfaces/provider-protocol.ts';
import { loadEventStreams } from './aws-event-stream.ts';
import { bedrockClaudeChat } from './bedrock-claude.ts';
import { bedrockCountTokens } from './bedrock-count-tokens.ts';
import { isBedrockClaude } from './bedrock-model-names.ts';
import { TIER_HEADER } from './bedrock-tiers.ts';
import { converseChat } from './converse.ts';

/** Sends requests for models of Anthropic in Messages, all others in Converse. */
export const bedrockChat: ChatEndpoint = {
  // Requests for models of Anthropic pass unchanged, except for members that Bedrock refuses.
  apis: ['messages'],
  cachesMarkedOnly: true,
  buildRequest: (chat, upstreamModel, pace) => {
    const loading = chat.body.value.streamed ? loadEventStreams() : undefined;
    const build = () => chatOf(upstreamModel).buildRequest(chat, upstreamModel, pace);
    return loading === undefined ? build() : loading.then(build);
  },
  events: (chat, providerId, upstreamModel) => chatOf(upstreamModel).events(chat, providerId, upstreamModel),
  whole: (chat, providerId, upstreamModel) => chatOf(upstreamModel).whole(chat, providerId, upstreamModel),
  count: bedrockCountTokens,
  tierHeader: TIER_HEADER,
};

function chatOf(upstreamModel: string): typeof converseChat {
  return isBedrockClaude(upstreamModel) ? bedrockClaudeChat : converseChat;
}
