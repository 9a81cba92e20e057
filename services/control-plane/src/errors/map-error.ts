import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import type { Logger } from '@model-gateway/service-kit';
import { ControlPlaneError, type ControlPlaneErrorCode } from './control-plane-error.ts';
import { databaseFailureOf } from './database-failure.ts';

const STATUS: Record<ControlPlaneErrorCode, status> = {
  not_found: status.NOT_FOUND,
  already_exists: status.ALREADY_EXISTS,
  invalid_argument: status.INVALID_ARGUMENT,
  permission_denied: status.PERMISSION_DENIED,
  failed_precondition: status.FAILED_PRECONDITION,
  aborted: status.ABORTED,
};

/** Maps errors to gRPC statuses. Internals go to the log, never to the caller. */
export function toServiceError(log: Logger, error: unknown): ServiceError {
  if (error instanceof ControlPlaneError) return serviceError(STATUS[error.code], error.message);
  switch (databaseFailureOf(error)) {
    case 'unreachable':
      log.warn({ error }, 'the database cannot be reached');
      return serviceError(status.UNAVAILABLE, 'the database cannot be reached');
    case 'too_slow':
      log.warn({ error }, 'a query took too long');
      return serviceError(status.DEADLINE_EXCEEDED, 'the database took too long');
    case 'nul':
      return serviceError(status.INVALID_ARGUMENT, 'a text holds the character NUL');
    case undefined:
      log.error({ error }, 'unexpected failure');
      return serviceError(status.INTERNAL, 'internal error');
  }
}

/** Only metrics see this error, because nobody waits for the reply. */
export function callerIsGone(): ServiceError {
  return serviceError(status.CANCELLED, 'the caller has cancelled the call');
}

function serviceError(code: status, details: string): ServiceError {
  return Object.assign(new Error(details), { code, details, metadata: new Metadata() });
}
