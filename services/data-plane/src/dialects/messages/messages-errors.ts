import { writeError } from '@model-gateway/service-kit';
import type { GatewayError, PublicError } from '@model-gateway/shared';
import type { CallerDialect } from '../../http/caller-dialect.ts';
import { bearerOrHeaderKey } from '../../keys/present-key.ts';

/** Anthropic's word for each status; any other of the 400s is about the request, all else about the server. */
const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};
const FIRST_SERVER_STATUS = 500;

/**
 * Anthropic's form of an error, with the gateway's own code and figures; a provider that speaks it has its own
 * words passed on.
 */
export function messagesError(error: PublicError, requestId: string): object | string {
  if (error.providersBody !== undefined) return error.providersBody;
  const { code, details, message, param, status } = error;
  const type = TYPES[status] ?? (status < FIRST_SERVER_STATUS ? 'invalid_request_error' : 'api_error');
  return {
    type: 'error',
    error: { ...details, type, message, code, ...(param === null ? {} : { param }) },
    request_id: requestId,
  };
}

/** Callers of POST /v1/messages (docs/wire-format.md, "Messages"). */
export const MESSAGES_CALLER: CallerDialect = {
  presentedKey: bearerOrHeaderKey,
  requestIdHeader: 'request-id',
  writeError: (res, error) => writeError(res, error, messagesError),
  errorEvent: (error: GatewayError, requestId) => {
    const shaped = messagesError(error, requestId);
    const data = typeof shaped === 'string' ? shaped : JSON.stringify(shaped);
    return `event: error\ndata: ${data.replaceAll(/[\r\n]+/g, ' ')}\n\n`;
  },
  keepAlive: 'event: ping\ndata: {"type": "ping"}\n\n',
};
