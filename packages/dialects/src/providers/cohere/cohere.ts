import type { ProviderProtocol } from '../../interfaces/provider-protocol.ts';
import { BEARER, keyHeaders } from '../shared/build-headers.ts';
import { cohereChat } from './cohere-chat.ts';
import { cohereEmbeddings } from './cohere-embeddings.ts';
import { cohereRerank } from './cohere-rerank.ts';

/** Version 2 of Cohere's API. */
export const cohere: ProviderProtocol = {
  // The second version of the API has no list of models.
  ...keyHeaders(BEARER, '/v1/models'),
  requestIdHeader: 'x-debug-trace-id',
  endpoints: { chat: cohereChat, embeddings: cohereEmbeddings, rerank: cohereRerank },
};
