import { errorBody } from '@model-gateway/shared';
import { type CallerProtocol, OPENAI_CALLER } from './caller-protocol.ts';

/**
 * Who reads the events of a response that a provider keeps. What breaks them off is no failure of the
 * response: its own events have not come to an end.
 */
export const STORED_RESPONSE_CALLER: CallerProtocol = {
  ...OPENAI_CALLER,
  errorEvent: (error, requestId) => {
    const { code, message, param } = errorBody(error, requestId).error;
    return `event: error\ndata: ${JSON.stringify({ type: 'error', code, message, param })}\n\n`;
  },
};
