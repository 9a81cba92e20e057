import { z } from 'zod';
import { DashboardError } from './dashboard-error.ts';
import { bodyTooLarge, invalidJson, malformedRequest, unreadableBody } from './request-errors.ts';

/** What Express and its body parsers throw about a request. */
const requestFailure = z.object({ status: z.number().int().min(400).max(499), type: z.string().optional() });

/** Whatever was thrown, as something that can be shown: an unknown error becomes an opaque 500. */
export function toDashboardError(thrown: unknown): DashboardError {
  if (thrown instanceof DashboardError) return thrown;
  const failure = requestFailure.safeParse(thrown).data;
  if (failure !== undefined) return refusedBody(failure, thrown);
  return new DashboardError(
    'internal_error',
    'The dashboard failed on this request. Try it again, and report the request id if it happens again.',
    { cause: thrown },
  );
}

function refusedBody({ status, type }: z.infer<typeof requestFailure>, cause: unknown): DashboardError {
  if (status === 413) return bodyTooLarge(cause);
  if (status === 415) return unreadableBody(cause);
  return type === 'entity.parse.failed' ? invalidJson(cause) : malformedRequest(cause);
}
