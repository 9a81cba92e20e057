import { GatewayError } from './gateway-error.ts';

/** Errors about responses that the gateway itself keeps (RESPONSES_STATE_TTL_S). */

export function storedResponsesUnavailable(cause?: unknown): GatewayError {
  const message =
    'What is kept of responses cannot be read at the moment. Retry in a second, or send the whole ' +
    'conversation as `input`.';
  return new GatewayError('overloaded', message, { cause });
}

export function storedResponseTooLong(mostBytes: number): GatewayError {
  const message =
    `What the request refers to has more than ${mostBytes} bytes. Send the conversation as \`input\` ` +
    'instead, without what it does not need.';
  return new GatewayError('request_too_large', message);
}

/** The error when somebody would end a response that is complete. In OpenAI's words. */
export function responseEnded(id: string): GatewayError {
  const message = `Cannot cancel a synchronous response: '${id}' has ended.`;
  return new GatewayError('invalid_request', message, { param: 'response_id' });
}

export function responseNotStreamed(id: string): GatewayError {
  const message = `stream: the response '${id}' has ended, and no events of it are kept. Leave \`stream\` out.`;
  return new GatewayError('invalid_request', message, { param: 'stream' });
}
