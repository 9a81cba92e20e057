import type { ProviderProtocol } from '../../interfaces/provider-protocol.ts';
import { readGoogleErrorDetails } from '../gemini/read-gemini-error.ts';
import { anonymousProbe, commonHeaders, withBody, withPassed } from '../shared/build-headers.ts';
import { vertexChat } from './vertex-chat.ts';
import { vertexEmbeddings } from './vertex-embeddings.ts';

export const vertex: ProviderProtocol = {
  // A token, added later, authenticates the request.
  head: ({ constant, request: { accept, body, headers } }) =>
    withPassed(withBody(commonHeaders(constant, accept), body), constant, headers ?? {}),
  probe: anonymousProbe,
  requestIdHeader: 'x-goog-request-id',
  errorDetails: readGoogleErrorDetails,
  endpoints: { chat: vertexChat, embeddings: vertexEmbeddings },
};
