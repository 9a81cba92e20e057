import type { ProviderProtocol } from '../../interfaces/provider-protocol.ts';
import { readGoogleErrorDetails } from '../gemini/read-gemini-error.ts';
import { vertexChat } from './vertex-chat.ts';
import { vertexEmbeddings } from './vertex-embeddings.ts';
import { vertexHeaders, vertexProbe } from './vertex-headers.ts';

/** Vertex AI of Google Cloud: generateContent, and Messages for the models of Anthropic. */
export const vertex: ProviderProtocol = {
  head: vertexHeaders,
  probe: vertexProbe,
  requestIdHeader: 'x-goog-request-id',
  refusalDetails: readGoogleErrorDetails,
  endpoints: { chat: vertexChat, embeddings: vertexEmbeddings },
};
