import { GatewayError } from './gateway-error.ts';

/** Whatever was thrown, as something that can be shown: an unknown error becomes an opaque 500. */
export function toGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  return new GatewayError(
    'internal_error',
    'The gateway failed on this request. Retry it, and report the request id if it happens again.',
    { cause: thrown },
  );
}
