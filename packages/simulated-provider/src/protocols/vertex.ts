import type { IncomingHttpHeaders } from 'node:http';
import { ProviderError } from '../errors/provider-error.ts';
import { bearerToken } from '../text/signatures.ts';
import { PROJECT } from '../tokens/service-account.ts';
import { ANTHROPIC } from './anthropic.ts';
import { GEMINI } from './gemini.ts';
import type { Protocol } from './protocol.ts';

/** The global location, two multi-regions, and a region. */
const LOCATIONS = ['global', 'us', 'eu', 'europe-west1'];
const PLACE = /^\/v1\/projects\/([^/]+)\/locations\/([^/]+)\//;
/** Google's gateway answers with these before a model is reached, in the format of its own errors. */
const GATEWAY_STATUSES = new Set([401, 403, 404, 429]);

const SERVED_BY_VERTEX: Pick<Protocol, 'vendor' | 'credential' | 'checkHead'> = {
  vendor: 'google',
  credential,
  checkHead(headers, _apiKey, { tokens, url }) {
    const token = credential(headers);
    if (token === undefined || !tokens.accepts(token, 'google'))
      throw new ProviderError(
        401,
        'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other ' +
          'valid authentication credential.',
      );
    const [, project = '', location = ''] = PLACE.exec(url) ?? [];
    if (project !== PROJECT)
      throw new ProviderError(
        403,
        `Permission 'aiplatform.endpoints.predict' denied on resource in project ${project}.`,
      );
    if (!LOCATIONS.includes(location)) throw new ProviderError(404, 'Requested entity was not found.');
  },
};

/** Vertex AI of Google Cloud. */
export const VERTEX: Protocol = { ...GEMINI, ...SERVED_BY_VERTEX };

/** Anthropic's models at Vertex AI. */
export const VERTEX_CLAUDE: Protocol = {
  ...ANTHROPIC,
  ...SERVED_BY_VERTEX,
  errorBody: (error, requestId) =>
    GATEWAY_STATUSES.has(error.status)
      ? GEMINI.errorBody(error, requestId)
      : ANTHROPIC.errorBody(error, `req_vrtx_${requestId}`),
};

function credential({ authorization }: IncomingHttpHeaders): string | undefined {
  return bearerToken(authorization);
}
