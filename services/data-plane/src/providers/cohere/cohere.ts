import type { ProviderProtocol } from '../dialect.ts';
import { cohereChat } from './chat.ts';
import { cohereEmbeddings } from './embeddings.ts';
import { cohereHeaders, cohereProbe } from './head.ts';
import { readCohereError } from './refusal.ts';
import { cohereRerank } from './rerank.ts';

/** The second version of Cohere's API: chats, embeddings and rerank. */
export const cohere: ProviderProtocol = {
  head: cohereHeaders,
  probe: cohereProbe,
  requestIdHeader: 'x-debug-trace-id',
  refusal: readCohereError,
  endpoints: { chat: cohereChat, embeddings: cohereEmbeddings, rerank: cohereRerank },
};
