import type { IncomingHttpHeaders } from 'node:http';
import { typedEvent } from '../answers/sse-event.ts';
import { ProviderError } from '../errors/provider-error.ts';
import { bearerToken } from '../text/signatures.ts';
import { checkKey, type Protocol } from './protocol.ts';

/** https://docs.claude.com/en/api/versioning, and the version that the newest client library sends. */
const VERSIONS = new Set(['2023-01-01', '2023-06-01', '2026-10-21']);
const REFUSALS: Record<number, { message: string }> = {
  400: { message: 'The request was refused by simulation.' },
  401: { message: 'invalid x-api-key' },
  403: { message: 'Your API key does not have permission to use the specified resource.' },
  413: { message: 'Request exceeds the maximum size' },
  429: { message: "This request would exceed your organization's rate limit. Please try again later." },
  500: { message: 'Internal server error' },
  529: { message: 'Overloaded' },
};
/** https://docs.claude.com/en/api/errors, "HTTP errors". */
const ERROR_TYPES: Record<number, string> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

export const ANTHROPIC: Protocol = {
  vendor: 'anthropic',
  credential,
  checkHead(headers, apiKey) {
    checkKey(credential(headers), apiKey, {
      missing: new ProviderError(401, 'x-api-key header is required'),
      wrong: new ProviderError(401, 'invalid x-api-key'),
    });
    const version = headers['anthropic-version'];
    if (version === undefined) throw new ProviderError(400, 'anthropic-version: header is required');
    if (typeof version === 'string' && VERSIONS.has(version)) return;
    throw new ProviderError(400, `anthropic-version: "${version}" is not a valid version`);
  },
  answerHeaders: (requestId) => ({ 'request-id': requestId, 'anthropic-organization-id': 'org-simulated' }),
  errorBody: ({ details, status, message }, requestId) => ({
    type: 'error',
    error: { type: errorType(status), message, ...(details === undefined ? {} : { details }) },
    request_id: requestId,
  }),
  refusal: (status) => REFUSALS[status],
  unknownMember: (name) => new ProviderError(400, `${name}: Extra inputs are not permitted`),
  stream: {
    // The start of the message, the start of its first block, a ping, and the first token.
    faultAfterEvents: 4,
    isLast: ({ event }) => event === 'message_stop',
    errorEvent: typedEvent('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
    textEvent: {
      name: 'content_block_delta',
      before: '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"',
      after: '"}}',
    },
  },
};

/** Returns the API version of a request and the beta features that it enables. */
export function versionAndBetas(headers: IncomingHttpHeaders): { version: string; betas: string[] } {
  const names = [headers['anthropic-beta'] ?? []].flat().join(',').split(',');
  return {
    version: [headers['anthropic-version'] ?? []].flat().join(),
    betas: names.map((name) => name.trim()).filter((name) => name !== ''),
  };
}

function credential(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['x-api-key'];
  return typeof key === 'string' && key !== '' ? key : bearerToken(headers.authorization);
}

function errorType(status: number): string {
  return ERROR_TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}
