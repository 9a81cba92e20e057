import type { ProviderProtocol } from '../../interfaces/provider-protocol.ts';
import { bedrockChat } from './bedrock-chat.ts';
import { bedrockEmbeddings } from './bedrock-embeddings.ts';
import { bedrockHeaders, bedrockProbe } from './bedrock-headers.ts';
import { bedrockImages } from './bedrock-images.ts';
import { bedrockRerank } from './bedrock-rerank.ts';

/**
 * The runtime of Amazon Bedrock: InvokeModel for the models of Anthropic and for all but chats, Converse for
 * all other chats.
 */
export const bedrock: ProviderProtocol = {
  head: bedrockHeaders,
  probe: bedrockProbe,
  requestIdHeader: 'x-amzn-requestid',
  endpoints: {
    chat: bedrockChat,
    embeddings: bedrockEmbeddings,
    images: bedrockImages,
    rerank: bedrockRerank,
  },
};
