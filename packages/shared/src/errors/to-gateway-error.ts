import { GatewayError } from './gateway-error.ts';

/** Whatever was thrown, as something that can be shown: an unknown error becomes an opaque 500. */
export function toGatewayError(thrown: unknown): GatewayError {
  return thrown instanceof GatewayError ? thrown : internalError(thrown);
}

export function internalError(cause?: unknown): GatewayError {
  const message =
    'The gateway failed on this request. Retry it, and report the request id if it happens again.';
  return new GatewayError('internal_error', message, { cause });
}

/** An error that another thread has thrown: its class does not come across. */
export function rethrown({
  code,
  message,
  param,
}: Pick<GatewayError, 'code' | 'message' | 'param'>): GatewayError {
  return new GatewayError(code, message, { param: param ?? undefined });
}
