import { errorBody } from '@model-gateway/shared';
import { type CallerProtocol, OPENAI_CALLER } from './caller-protocol.ts';

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
