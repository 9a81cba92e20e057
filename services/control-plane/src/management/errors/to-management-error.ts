import { z } from 'zod';
import { ControlPlaneError, type ControlPlaneErrorCode } from '../../errors/control-plane-error.ts';
import { databaseFailureOf } from '../../errors/database-failure.ts';
import { InvalidTerms } from '../../price-lists/check-terms.ts';
import type { ErrorCode } from './error-codes.ts';
import { ManagementError } from './management-error.ts';
import { bodyTooLarge, malformedRequest, notJson, unsupportedBody } from './request-errors.ts';
import { sentence } from './sentence.ts';

const CODES: Record<ControlPlaneErrorCode, ErrorCode> = {
  not_found: 'not_found',
  already_exists: 'already_exists',
  invalid_argument: 'invalid_request',
  permission_denied: 'permission_denied',
  failed_precondition: 'conflict',
  aborted: 'service_unavailable',
};

/** The errors that Express and its body parser throw for a bad request. */
const requestFailure = z.object({
  status: z.number().int().min(400).max(499),
  type: z.string().optional(),
  limit: z.number().optional(),
});

/** Converts anything thrown into an error that is safe to show: unknown errors become an opaque 500. */
export function toManagementError(thrown: unknown): ManagementError {
  if (thrown instanceof ManagementError) return thrown;
  if (thrown instanceof InvalidTerms)
    return new ManagementError('invalid_prices', sentence(thrown.message), {
      param: thrown.param,
      cause: thrown,
    });
  if (thrown instanceof ControlPlaneError)
    return new ManagementError(CODES[thrown.code], sentence(thrown.message), { cause: thrown });
  const failure = requestFailure.safeParse(thrown).data;
  if (failure !== undefined) return refusedBody(failure, thrown);
  switch (databaseFailureOf(thrown)) {
    case 'unreachable':
      return unavailable('The database cannot be reached at the moment. Retry in a second.', thrown);
    case 'too_slow':
      return unavailable('The database took too long. Retry, or ask for less.', thrown);
    case 'nul':
      return new ManagementError('invalid_request', 'A text has the character NUL. Remove it.');
    case undefined:
      return new ManagementError(
        'internal_error',
        'The gateway failed on this request. Retry it, and report the request id if it happens again.',
        { cause: thrown },
      );
  }
}

function unavailable(message: string, cause: unknown): ManagementError {
  return new ManagementError('service_unavailable', message, { cause });
}

function refusedBody({ limit, status, type }: z.infer<typeof requestFailure>, cause: unknown) {
  if (status === 413) return bodyTooLarge(limit);
  if (status === 415) return unsupportedBody(cause);
  if (type === 'entity.parse.failed') return notJson(cause);
  return malformedRequest(cause);
}
