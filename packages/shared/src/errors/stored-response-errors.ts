import { GatewayError } from './gateway-error.ts';

/** Errors about stored responses, most of them about those in the gateway (RESPONSES_STATE_TTL_S). */

export function storedResponsesUnavailable(cause?: unknown): GatewayError {
  const message =
    'Stored responses cannot be read at the moment. Retry in a second, or send the whole conversation as `input`.';
  return new GatewayError('overloaded', message, { cause });
}

export function storedResponseTooLong(maxBytes: number): GatewayError {
  const message =
    `The stored responses of this conversation have more than ${maxBytes} bytes. Send the conversation as ` +
    '`input` instead, and leave out what the model does not need.';
  return new GatewayError('request_too_large', message);
}

/** The error when the deletion of a response cannot be recorded, so that its usage would be lost. */
export function deletionNotRecorded(cause: unknown): GatewayError {
  const message = 'The response cannot be deleted at the moment, and still exists. Retry in a second.';
  return new GatewayError('control_plane_unavailable', message, { cause });
}

/** The error when a caller cancels a complete response. In OpenAI's words. */
export function responseEnded(id: string): GatewayError {
  const message = `Cannot cancel a synchronous response: '${id}' has ended.`;
  return new GatewayError('invalid_request', message, { param: 'response_id' });
}

export function responseNotStreamed(id: string): GatewayError {
  const message = `stream: the response '${id}' has ended, and its events are not stored. Leave \`stream\` out.`;
  return new GatewayError('invalid_request', message, { param: 'stream' });
}
