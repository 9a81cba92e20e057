import type { ServerResponse } from 'node:http';
import { writeError } from '@model-gateway/service-kit';
import { errorBody, type GatewayError } from '@model-gateway/shared';

/** What the callers of one API are told besides the answers of its endpoints. */
export interface CallerDialect {
  /** Answers with an error, unless the head of another answer is out. */
  writeError(res: ServerResponse, error: GatewayError): void;
  /** The event that ends a stream which is not complete. */
  errorEvent(error: GatewayError, requestId: string): string;
  /** Keeps the connection of a stream open while its provider is silent, and means nothing. */
  keepAlive: string;
}

/** The shape of OpenAI's errors, which all endpoints share that have no API of their own. */
export const OPENAI_CALLER: CallerDialect = {
  writeError,
  errorEvent: (error, requestId) => `data: ${JSON.stringify(errorBody(error, requestId))}\n\n`,
  keepAlive: ': keep-alive\n\n',
};
