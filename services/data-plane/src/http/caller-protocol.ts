import type { IncomingMessage, ServerResponse } from 'node:http';
import { writeError } from '@model-gateway/service-kit';
import { errorBody, type GatewayError, type PublicError } from '@model-gateway/shared';
import { bearerKey } from '../keys/request-key.ts';

/** Key header, error form and stream events of a caller API; its endpoints convert the responses. */
export interface CallerProtocol {
  /**
   * Reads the raw key of a request; undefined: missing or malformed.
   * @throws GatewayError 401 for two different keys
   */
  presentedKey(req: IncomingMessage): string | undefined;
  requestIdHeader?: string;
  writeError(res: ServerResponse, error: PublicError): void;
  /** The event that ends an incomplete stream. */
  errorEvent(error: GatewayError, requestId: string): string;
  /** Comment or ping that keeps a stream open while the provider is silent. */
  keepAlive: string;
}

/** OpenAI's protocol, also for endpoints that belong to no API. */
export const OPENAI_CALLER: CallerProtocol = {
  presentedKey: bearerKey,
  writeError,
  errorEvent: (error, requestId) => `data: ${JSON.stringify(errorBody(error, requestId))}\n\n`,
  keepAlive: ': keep-alive\n\n',
};

/**
 * For a provider-stored response that is read as a stream. An interruption is not the failure of the response
 * itself, so it gets an event of its own.
 */
export const STORED_RESPONSE_CALLER: CallerProtocol = {
  ...OPENAI_CALLER,
  errorEvent: (error, requestId) => {
    const { code, message, param } = errorBody(error, requestId).error;
    return `event: error\ndata: ${JSON.stringify({ type: 'error', code, message, param })}\n\n`;
  },
};
