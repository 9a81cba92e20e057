import type { IncomingMessage, ServerResponse } from 'node:http';
import { writeError } from '@model-gateway/service-kit';
import { errorBody, type GatewayError, type PublicError } from '@model-gateway/shared';
import { bearerKey } from '../keys/present-key.ts';

/** The parts of a caller's API besides the responses of its endpoints. */
export interface CallerProtocol {
  /**
   * The raw key that a request presents; undefined: none, or a malformed one.
   * @throws GatewayError 401 when it presents two
   */
  presentedKey(req: IncomingMessage): string | undefined;
  requestIdHeader?: string;
  /** Answers with an error, unless the head of another answer was already sent. */
  writeError(res: ServerResponse, error: PublicError): void;
  /** The event that ends an incomplete stream. */
  errorEvent(error: GatewayError, requestId: string): string;
  /** Text without meaning that keeps the connection of a stream open while the provider is silent. */
  keepAlive: string;
}

/** The shape of OpenAI's errors. All endpoints that have no API of their own use it. */
export const OPENAI_CALLER: CallerProtocol = {
  presentedKey: bearerKey,
  writeError,
  errorEvent: (error, requestId) => `data: ${JSON.stringify(errorBody(error, requestId))}\n\n`,
  keepAlive: ': keep-alive\n\n',
};
