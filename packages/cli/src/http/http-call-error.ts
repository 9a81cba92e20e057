import { GrpcStatus } from '@model-gateway/contracts';
import { z } from 'zod';

/**
 * Where a call over HTTP failed. `method`: in the control plane. `refused`: in the management API before the
 * method, such as for a missing scope. `other_server`: the response is not from a management API.
 * `connection`: no response came.
 */
export type HttpFailure = 'method' | 'refused' | 'other_server' | 'connection';

/** Failure of a call over HTTP, with the gRPC status that the same call has over gRPC. */
export class HttpCallError extends Error {
  override readonly name = 'HttpCallError';
  readonly failure: HttpFailure;
  readonly code: GrpcStatus;
  /** Words of the gateway, or the reason why no response came. */
  readonly details: string;
  /** Wait before the call may be repeated. Set when a rate limit has refused it. */
  readonly retryAfterMs: number | undefined;

  constructor(
    failure: HttpFailure,
    code: GrpcStatus,
    details: string,
    { retryAfterMs, ...options }: ErrorOptions & { retryAfterMs?: number | undefined } = {},
  ) {
    super(details, options);
    this.failure = failure;
    this.code = code;
    this.details = details;
    this.retryAfterMs = retryAfterMs;
  }
}

/** @param error as `fetch` throws it; its cause says why */
export function connectionError(error: unknown): HttpCallError {
  if (error instanceof Error && error.name === 'TimeoutError') {
    const details = 'no response in time';
    return new HttpCallError('connection', GrpcStatus.DEADLINE_EXCEEDED, details, { cause: error });
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  // A host with several addresses has one error for each.
  const [reason] = cause instanceof AggregateError ? cause.errors : [cause];
  const details = reason instanceof Error ? reason.message : String(reason);
  return new HttpCallError('connection', GrpcStatus.UNAVAILABLE, details, { cause: error });
}

/** The members of the gateway's error body that are used here. */
const errorBody = z.object({ error: z.object({ message: z.string(), request_id: z.string() }) });

/**
 * Converts an unsuccessful response.
 * @param rpcStatus gRPC status that the method reports; undefined when no method made the response
 * @param body JSON; undefined for anything else
 */
export function responseError(
  { headers, status }: Response,
  rpcStatus: GrpcStatus | undefined,
  body: unknown,
): HttpCallError {
  const error = errorBody.safeParse(body).data?.error;
  // The data plane, too, answers an unknown route with an error of the gateway.
  if (error === undefined || (status === 404 && rpcStatus === undefined)) {
    const details = `HTTP status ${status}, ${headers.get('content-type') ?? 'no content type'}`;
    return new HttpCallError('other_server', GrpcStatus.UNAVAILABLE, details);
  }
  if (rpcStatus !== undefined) return new HttpCallError('method', rpcStatus, error.message);
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs = status === 429 && seconds >= 0 ? seconds * 1_000 : undefined;
  return new HttpCallError('refused', statusOfHttp(status), error.message, { retryAfterMs });
}

function statusOfHttp(httpStatus: number): GrpcStatus {
  if (httpStatus === 401) return GrpcStatus.UNAUTHENTICATED;
  if (httpStatus === 403) return GrpcStatus.PERMISSION_DENIED;
  if (httpStatus === 429) return GrpcStatus.RESOURCE_EXHAUSTED;
  if (httpStatus < 500) return GrpcStatus.INVALID_ARGUMENT;
  return httpStatus === 500 ? GrpcStatus.INTERNAL : GrpcStatus.UNAVAILABLE;
}
