import { z } from 'zod';
import { DashboardError } from './dashboard-error.ts';

/** The errors that Express and its body parsers throw for a bad request. */
const requestFailure = z.object({ status: z.number().int().min(400).max(499), type: z.string().optional() });

/** Converts anything thrown into an error that is safe to show: unknown errors become an opaque 500. */
export function toDashboardError(thrown: unknown): DashboardError {
  if (thrown instanceof DashboardError) return thrown;
  const failure = requestFailure.safeParse(thrown).data;
  if (failure !== undefined) return refusedBody(failure, thrown);
  const message =
    'The dashboard failed on this request. Try it again, and report the request id if it happens again.';
  return new DashboardError('internal_error', message, { cause: thrown });
}

function refusedBody({ status, type }: z.infer<typeof requestFailure>, cause: unknown): DashboardError {
  if (status === 413) return new DashboardError('request_too_large', 'The request is too large.', { cause });
  if (status === 415) {
    return new DashboardError('unsupported_media_type', 'Send JSON in UTF-8, uncompressed.', { cause });
  }
  if (type === 'entity.parse.failed') {
    return new DashboardError('invalid_json', 'The body is not valid JSON.', { cause });
  }
  return new DashboardError('invalid_request', 'The request is malformed.', { cause });
}
