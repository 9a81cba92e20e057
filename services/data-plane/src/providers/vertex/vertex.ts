import type { ProviderProtocol } from '../dialect.ts';
import { readGoogleErrorDetails } from '../gemini/refusal.ts';
import { vertexChat } from './chat.ts';
import { vertexEmbeddings } from './embeddings/embeddings.ts';
import { vertexHeaders, vertexProbe } from './head.ts';
import { readVertexError } from './refusal.ts';

/** Vertex AI of Google Cloud: generateContent, and Messages for the models of Anthropic. */
export const vertex: ProviderProtocol = {
  head: vertexHeaders,
  probe: vertexProbe,
  requestIdHeader: 'x-goog-request-id',
  refusal: readVertexError,
  refusalDetails: readGoogleErrorDetails,
  endpoints: { chat: vertexChat, embeddings: vertexEmbeddings },
};
