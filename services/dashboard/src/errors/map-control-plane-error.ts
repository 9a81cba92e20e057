import { GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { z } from 'zod';
import { gatewayUnreachable } from './availability-errors.ts';
import { DashboardError } from './dashboard-error.ts';
import type { ErrorCode } from './error-codes.ts';
import { sentence } from './sentence.ts';

/** Statuses whose message from the control plane is shown to the user, with a fallback text. */
const REFUSALS = new Map<number, { code: ErrorCode; message: string }>([
  [GrpcStatus.NOT_FOUND, { code: 'not_found', message: 'This does not exist in your account.' }],
  [GrpcStatus.INVALID_ARGUMENT, { code: 'invalid_request', message: 'The request cannot be understood.' }],
  [GrpcStatus.FAILED_PRECONDITION, { code: 'conflict', message: 'This is not possible any more.' }],
  [GrpcStatus.ALREADY_EXISTS, { code: 'conflict', message: 'This exists already.' }],
  [GrpcStatus.PERMISSION_DENIED, { code: 'permission_denied', message: 'Only the owner may do this.' }],
]);

const UNAVAILABLE = new Set<number>([
  GrpcStatus.UNAVAILABLE,
  GrpcStatus.DEADLINE_EXCEEDED,
  GrpcStatus.ABORTED,
  GrpcStatus.RESOURCE_EXHAUSTED,
  GrpcStatus.CANCELLED,
  // INTERNAL_TOKEN is wrong: only the operator can fix that, so the user sees an outage.
  GrpcStatus.UNAUTHENTICATED,
]);

const described = z.object({ details: z.string().min(1) });

/** Maps a gRPC status to a DashboardError. Returns any other error unchanged. */
export function mapControlPlaneError(error: unknown): unknown {
  const status = grpcStatus(error);
  if (status === undefined) return error;
  if (UNAVAILABLE.has(status)) return gatewayUnreachable(error);
  const refusal = REFUSALS.get(status);
  if (refusal === undefined) return error;
  const details = described.safeParse(error).data?.details;
  const message = details === undefined ? refusal.message : sentence(details);
  return new DashboardError(refusal.code, message, { cause: error });
}
