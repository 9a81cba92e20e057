import { GatewayError } from './gateway-error.ts';

/** Errors about WebSocket connections to /v1/responses. */

const RECONNECT = 'Open a new one to continue, and send the whole conversation.';

/** Why a connection ends. After each of these, its client connects again. */
const ENDS = {
  age: 'This WebSocket connection is as old as it may be (60 minutes).',
  idle: 'This WebSocket connection was idle for too long.',
  drain: 'This WebSocket connection ends because its gateway process takes no more requests.',
  memory: 'This WebSocket connection no longer has the response of previous_response_id in memory.',
} as const;

export type ConnectionEnd = keyof typeof ENDS;

/** The error when WebSocket is turned off. Codex then uses HTTP at once. */
export function webSocketRefused(): GatewayError {
  const message =
    'WebSocket is turned off here, or this is no plain upgrade. Send POST /v1/responses over HTTP, with "stream": true for events.';
  return new GatewayError('upgrade_required', message, {
    headers: { upgrade: 'HTTP/1.1', connection: 'close' },
  });
}

/** The error that ends a connection in order. */
export function connectionEnds(reason: ConnectionEnd): GatewayError {
  return new GatewayError('websocket_connection_limit_reached', `${ENDS[reason]} ${RECONNECT}`);
}

export function tooManyWebSocketsOf(owner: 'API key' | 'account', max: number): GatewayError {
  const message = `This ${owner} may have at most ${max} WebSocket connections at a gateway process. Close one.`;
  return new GatewayError('concurrent_streams_exceeded', message, { retryAfterSeconds: 1 });
}

export function tooManyWebSockets(): GatewayError {
  const message =
    'This gateway process has as many WebSocket connections as it can. Retry in a second, or use HTTP.';
  return new GatewayError('overloaded', message);
}

/** The error for a client that sends more requests at once than wait for their turn. */
export function tooManyWaitingFrames(max: number): GatewayError {
  const message =
    `A WebSocket connection runs one response after the other, and at most ${max} may wait. ` +
    'Use several connections.';
  return new GatewayError('rate_limit_exceeded', message, { retryAfterSeconds: 1 });
}

export function binaryFrame(): GatewayError {
  return new GatewayError('invalid_request', 'The message is binary. Send JSON as text.');
}

/** @param type as the client has sent it; undefined: it is no string */
export function unknownFrameType(type: string | undefined): GatewayError {
  const found = type === undefined ? '' : ` ${JSON.stringify(type.slice(0, 100))} is unknown.`;
  const message = `type: expected "response.create".${found}`;
  return new GatewayError('invalid_request', message, { param: 'type' });
}

export function invalidStreamId(): GatewayError {
  const message =
    'stream_id: expected 1 to 256 letters, digits, underscores, hyphens or periods. Leave it out for no stream id.';
  return new GatewayError('invalid_request', message, { param: 'stream_id' });
}

/** The error for a response that ended without its last event. */
export function responseBrokeOff(cause?: unknown): GatewayError {
  return new GatewayError('internal_error', 'The response broke off.', { cause });
}
