import type { IncomingHttpHeaders } from 'node:http';
import { ProviderError } from '../errors/provider-error.ts';
import { bearerToken, isSameSecret } from '../text/signatures.ts';
import { OPENAI, OPENAI_RESPONSES } from './openai.ts';
import type { Protocol } from './protocol.ts';

const INVALID_KEY =
  'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an ' +
  'active subscription and use a correct regional API endpoint for your resource.';

const INVALID_TOKEN = 'The token is not valid: it has expired, or its audience or signature is wrong.';

/** Differences of Azure: the header of the key, tokens of Entra ID, and the errors of its gateway. */
const SERVED_BY_AZURE: Pick<Protocol, 'vendor' | 'credential' | 'checkHead' | 'answerHeaders' | 'errorBody'> =
  {
    vendor: 'azure',
    credential,
    checkHead(headers, apiKey, { tokens }) {
      const key = headers['api-key'];
      const token = bearerToken(headers.authorization);
      if (key === undefined && token !== undefined) {
        if (tokens.accepts(token, 'entra')) return;
        throw new ProviderError(401, INVALID_TOKEN, { code: '401' });
      }
      if (apiKey === undefined || (typeof key === 'string' && isSameSecret(key, apiKey))) return;
      throw new ProviderError(401, INVALID_KEY, { code: '401' });
    },
    answerHeaders: (requestId) => ({ 'apim-request-id': requestId, 'x-ms-region': 'Simulated' }),
    errorBody: (error, requestId) =>
      // Its gateway answers with only these two members.
      error.status === 401 || error.status === 404
        ? { error: { code: error.code ?? String(error.status), message: error.message } }
        : OPENAI.errorBody(error, requestId),
  };

export const AZURE: Protocol = { ...OPENAI, ...SERVED_BY_AZURE };
export const AZURE_RESPONSES: Protocol = { ...OPENAI_RESPONSES, ...SERVED_BY_AZURE };

/** Returns the key in `api-key`, or the Entra ID token in `authorization`. */
function credential(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['api-key'];
  return typeof key === 'string' && key !== '' ? key : bearerToken(headers.authorization);
}
