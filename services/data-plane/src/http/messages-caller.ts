import { requestIdOf, writeError } from '@model-gateway/service-kit';
import { type GatewayError, messagesErrorBody, type PublicError } from '@model-gateway/shared';
import { bearerKey, bearerOrHeaderKey } from '../keys/request-key.ts';
import type { CallerProtocol } from './caller-protocol.ts';

const REQUEST_ID = 'request-id';

/**
 * Builds an error in Anthropic's format with the gateway's code and figures. An error of an
 * Anthropic-compatible provider passes unchanged.
 */
function buildMessagesError(error: PublicError, requestId: string): object | string {
  return error.providersBody ?? messagesErrorBody(error, requestId);
}

/** Callers of POST /v1/messages (docs/messages-api.md). */
export const MESSAGES_CALLER: CallerProtocol = {
  presentedKey: bearerOrHeaderKey,
  requestIdHeader: REQUEST_ID,
  writeError: (res, error) => {
    // Some errors are written before a route has set the header.
    if (!res.headersSent) res.setHeader(REQUEST_ID, requestIdOf(res));
    writeError(res, error, buildMessagesError);
  },
  errorEvent: (error: GatewayError, requestId) => {
    const shaped = buildMessagesError(error, requestId);
    const data = typeof shaped === 'string' ? shaped : JSON.stringify(shaped);
    return `event: error\ndata: ${data.replaceAll(/[\r\n]+/g, ' ')}\n\n`;
  },
  keepAlive: 'event: ping\ndata: {"type": "ping"}\n\n',
};

/** For public reads: ignores `x-api-key`, which clients of Anthropic always send. */
export const MESSAGES_READER: CallerProtocol = { ...MESSAGES_CALLER, presentedKey: bearerKey };
