import type { ProviderProtocol } from '../../interfaces/provider-protocol.ts';
import { anonymousProbe, BEARER, keyHeaders, withPassed } from '../shared/build-headers.ts';
import { bedrockChat } from './bedrock-chat.ts';
import { bedrockEmbeddings } from './bedrock-embeddings.ts';
import { bedrockImages } from './bedrock-images.ts';
import { bedrockRerank } from './bedrock-rerank.ts';

const WITH_KEY = keyHeaders(BEARER, '/ping');

export const bedrock: ProviderProtocol = {
  // Without an API key, the signature over the request authenticates it.
  head: (input) => withPassed(WITH_KEY.head(input), input.constant, input.request.headers ?? {}),
  probe: anonymousProbe,
  requestIdHeader: 'x-amzn-requestid',
  endpoints: {
    chat: bedrockChat,
    embeddings: bedrockEmbeddings,
    images: bedrockImages,
    rerank: bedrockRerank,
  },
};
