import type { ProviderDialect } from '../dialect.ts';
import { chat } from './chat.ts';
import { embeddings } from './embeddings.ts';
import { head, probe } from './head.ts';
import { refusal } from './refusal.ts';
import { rerank } from './rerank.ts';

/** The second version of Cohere's API: chats, embeddings and rerank. */
export const cohere: ProviderDialect = {
  head,
  probe,
  requestIdHeader: 'x-debug-trace-id',
  refusal,
  endpoints: { chat, embeddings, rerank },
};
