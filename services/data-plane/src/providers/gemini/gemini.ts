import type { ProviderDialect } from '../dialect.ts';
import { chat } from './chat.ts';
import { embeddings } from './embeddings/embeddings.ts';
import { head, probe } from './head.ts';
import { refusal, refusalDetails } from './refusal.ts';

/** Google's API of Gemini: generateContent. */
export const gemini: ProviderDialect = {
  head,
  probe,
  requestIdHeader: 'x-goog-request-id',
  refusal,
  refusalDetails,
  endpoints: { chat, embeddings },
};
