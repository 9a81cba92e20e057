import type { ProviderDialect } from '../dialect.ts';
import { refusalDetails } from '../gemini/refusal.ts';
import { chat } from './chat.ts';
import { googleCredentials } from './credentials/google-credentials.ts';
import { embeddings } from './embeddings/embeddings.ts';
import { head, probe } from './head.ts';
import { refusal } from './refusal.ts';

/** Vertex AI of Google Cloud: generateContent, and Messages for the models of Anthropic. */
export const vertex: ProviderDialect = {
  head,
  probe,
  requestIdHeader: 'x-goog-request-id',
  refusal,
  refusalDetails,
  credentialSource: googleCredentials,
  endpoints: { chat, embeddings },
};
