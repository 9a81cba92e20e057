import { GatewayError } from './gateway-error.ts';

/** Turns whatever was thrown into an error that can be shown. An unknown error becomes an opaque 500. */
export function toGatewayError(thrown: unknown): GatewayError {
  return thrown instanceof GatewayError ? thrown : internalError(thrown);
}

export function internalError(cause?: unknown): GatewayError {
  const message =
    'The gateway failed on this request. Retry it, and report the request id if it happens again.';
  return new GatewayError('internal_error', message, { cause });
}

/** Creates the error again that another thread threw: only plain data crosses threads. */
export function rethrown({
  code,
  message,
  param,
}: Pick<GatewayError, 'code' | 'message' | 'param'>): GatewayError {
  return new GatewayError(code, message, { param: param ?? undefined });
}
