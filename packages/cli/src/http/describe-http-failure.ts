import { GrpcStatus } from '@model-gateway/contracts';
import type { HttpCallError } from './http-call-error.ts';

const SET_URL = 'set the URL of its management API (ADMIN_PORT, 8091) with --url or GATEWAY_ADMIN_URL';

/** OpenSSL's codes for a certificate that no known authority has signed. */
const UNKNOWN_AUTHORITY = /self-signed certificate|unable to (verify|get)/i;

/**
 * Describes failures that gRPC does not have, and what to do about them.
 * @returns one line; undefined for failures that read the same over gRPC
 */
export function describeHttpFailure(
  { code, details, failure }: HttpCallError,
  url: string,
): string | undefined {
  if (failure === 'other_server') {
    return `the server at ${url} is not the management API of a gateway (${details}): ${SET_URL}`;
  }
  if (failure === 'connection' && code === GrpcStatus.UNAVAILABLE) {
    if (UNKNOWN_AUTHORITY.test(details)) {
      return (
        `the certificate of ${url} cannot be verified (${details}): ` +
        "set NODE_EXTRA_CA_CERTS to the file with its authority's certificate"
      );
    }
    return `no gateway answers at ${url} (${details}): start it (npm start), or ${SET_URL}`;
  }
  if (failure === 'refused' && code === GrpcStatus.UNAUTHENTICATED) {
    return (
      `the gateway at ${url} does not accept the admin key: ${details} ` +
      'Set --token or GATEWAY_ADMIN_KEY to a key of `gatewayctl admin-keys create`'
    );
  }
  return undefined;
}
