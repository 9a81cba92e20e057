import type { ProviderProtocol } from '../dialect.ts';
import { bedrockChat } from './chat.ts';
import { bedrockEmbeddings } from './embeddings/embeddings.ts';
import { bedrockHeaders, bedrockProbe } from './head.ts';
import { bedrockImages } from './images/images.ts';
import { readBedrockError } from './refusal.ts';
import { bedrockRerank } from './rerank/rerank.ts';

/**
 * The runtime of Amazon Bedrock: InvokeModel for the models of Anthropic and for all but chats, Converse for
 * all other chats.
 */
export const bedrock: ProviderProtocol = {
  head: bedrockHeaders,
  probe: bedrockProbe,
  requestIdHeader: 'x-amzn-requestid',
  refusal: readBedrockError,
  endpoints: {
    chat: bedrockChat,
    embeddings: bedrockEmbeddings,
    images: bedrockImages,
    rerank: bedrockRerank,
  },
};
