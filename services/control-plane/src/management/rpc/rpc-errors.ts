import { type ServiceError, status } from '@grpc/grpc-js';
import { GRPC_STATUS_HEADER } from '@model-gateway/contracts';
import type { ErrorCode } from '../errors/error-codes.ts';
import { ManagementError } from '../errors/management-error.ts';

/** Codes of the statuses that methods of the control plane return. */
const CODES: Partial<Record<status, ErrorCode>> = {
  [status.NOT_FOUND]: 'not_found',
  [status.UNIMPLEMENTED]: 'not_found',
  [status.ALREADY_EXISTS]: 'already_exists',
  [status.INVALID_ARGUMENT]: 'invalid_request',
  [status.PERMISSION_DENIED]: 'permission_denied',
  [status.FAILED_PRECONDITION]: 'conflict',
  [status.ABORTED]: 'service_unavailable',
  [status.UNAVAILABLE]: 'service_unavailable',
  [status.DEADLINE_EXCEEDED]: 'service_unavailable',
};

/** Converts the error of a method. Keeps the message of gRPC, because gatewayctl prints it. */
export function rpcError(
  { code, details }: Pick<ServiceError, 'code' | 'details'>,
  cause?: unknown,
): ManagementError {
  return new ManagementError(CODES[code] ?? 'internal_error', details, {
    cause,
    headers: { [GRPC_STATUS_HEADER]: String(code) },
  });
}

export function unknownRpc(name: string): ManagementError {
  return rpcError({ code: status.UNIMPLEMENTED, details: `There is no method ${name} for admin keys.` });
}
