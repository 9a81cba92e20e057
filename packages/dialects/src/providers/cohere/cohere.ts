import type { ProviderProtocol } from '../../interfaces/provider-protocol.ts';
import { cohereChat } from './cohere-chat.ts';
import { cohereEmbeddings } from './cohere-embeddings.ts';
import { cohereHeaders, cohereProbe } from './cohere-headers.ts';
import { cohereRerank } from './cohere-rerank.ts';

/** The second version of Cohere's API: chats, embeddings and rerank. */
export const cohere: ProviderProtocol = {
  head: cohereHeaders,
  probe: cohereProbe,
  requestIdHeader: 'x-debug-trace-id',
  endpoints: { chat: cohereChat, embeddings: cohereEmbeddings, rerank: cohereRerank },
};
