import { errorBody } from '@model-gateway/shared';
import { type CallerProtocol, OPENAI_CALLER } from './caller-protocol.ts';

/**
 * The reader of a provider-stored response as events. An interruption is no failure of the response: its own
 * events have not ended.
 */
export const STORED_RESPONSE_CALLER: CallerProtocol = {
  ...OPENAI_CALLER,
  errorEvent: (error, requestId) => {
    const { code, message, param } = errorBody(error, requestId).error;
    return `event: error\ndata: ${JSON.stringify({ type: 'error', code, message, param })}\n\n`;
  },
};
