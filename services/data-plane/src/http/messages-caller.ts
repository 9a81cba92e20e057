import { requestIdOf, writeError } from '@model-gateway/service-kit';
import { type GatewayError, messagesErrorBody, type PublicError } from '@model-gateway/shared';
import { bearerKey, bearerOrHeaderKey } from '../keys/present-key.ts';
import type { CallerProtocol } from './caller-protocol.ts';

const REQUEST_ID = 'request-id';

/**
 * Anthropic's form of an error, with the gateway's own code and figures; a provider that speaks it has its
 * own words passed on.
 */
function messagesError(error: PublicError, requestId: string): object | string {
  return error.providersBody ?? messagesErrorBody(error, requestId);
}

/** Callers of POST /v1/messages (docs/messages-api.md). */
export const MESSAGES_CALLER: CallerProtocol = {
  presentedKey: bearerOrHeaderKey,
  requestIdHeader: REQUEST_ID,
  writeError: (res, error) => {
    // Some errors are answered before any route has marked the answer.
    if (!res.headersSent) res.setHeader(REQUEST_ID, requestIdOf(res));
    writeError(res, error, messagesError);
  },
  errorEvent: (error: GatewayError, requestId) => {
    const shaped = messagesError(error, requestId);
    const data = typeof shaped === 'string' ? shaped : JSON.stringify(shaped);
    return `event: error\ndata: ${data.replaceAll(/[\r\n]+/g, ' ')}\n\n`;
  },
  keepAlive: 'event: ping\ndata: {"type": "ping"}\n\n',
};

/** Anthropic's clients where a key is optional: there theirs is none, as the catalog is public. */
export const MESSAGES_READER: CallerProtocol = { ...MESSAGES_CALLER, presentedKey: bearerKey };
