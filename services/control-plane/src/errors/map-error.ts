import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import type { Logger } from '@model-gateway/service-kit';
import { z } from 'zod';
import { ControlPlaneError, type ControlPlaneErrorCode } from './control-plane-error.ts';

const STATUS: Record<ControlPlaneErrorCode, status> = {
  not_found: status.NOT_FOUND,
  already_exists: status.ALREADY_EXISTS,
  invalid_argument: status.INVALID_ARGUMENT,
  permission_denied: status.PERMISSION_DENIED,
  failed_precondition: status.FAILED_PRECONDITION,
  aborted: status.ABORTED,
};

/** Prisma's codes for a database that cannot be reached, timed out, or closed the connection. */
const UNREACHABLE = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037']);
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EHOSTUNREACH',
  '57P01',
  '57P02',
  '57P03',
  // Too many connections.
  '53300',
]);

/** The cause of a failed query: Prisma has one code for many causes, and puts the cause beside it. */
const rawQueryFailure = z.object({
  meta: z.object({
    driverAdapterError: z.object({
      cause: z.object({
        kind: z.string(),
        severity: z.string().optional(),
        originalCode: z.string().optional(),
      }),
    }),
  }),
});
/** Postgres' codes for a text with bytes that it does not accept: one for texts, one for JSON. */
const INVALID_BYTE_SEQUENCES = new Set<string | undefined>(['22021', '22P05']);
const QUERY_CANCELED = '57014';
const LOST_CONNECTION = new Set([
  'ConnectionClosed',
  'DatabaseNotReachable',
  'SocketTimeout',
  'TooManyConnections',
]);

/** The only place where errors become gRPC statuses. Internals go to the log, never to the caller. */
export function toServiceError(log: Logger, error: unknown): ServiceError {
  if (error instanceof ControlPlaneError) return serviceError(STATUS[error.code], error.message);
  if (isDatabaseUnreachable(error)) {
    log.warn({ error }, 'the database cannot be reached');
    return serviceError(status.UNAVAILABLE, 'the database cannot be reached');
  }
  if (postgresCode(error) === QUERY_CANCELED) {
    log.warn({ error }, 'a query took too long');
    return serviceError(status.DEADLINE_EXCEEDED, 'the database took too long');
  }
  if (holdsNul(error)) return serviceError(status.INVALID_ARGUMENT, 'a text holds the character NUL');
  log.error({ error }, 'unexpected failure');
  return serviceError(status.INTERNAL, 'internal error');
}

/** Returns the status of a call that its caller has given up. Only the metrics see it. */
export function callerIsGone(): ServiceError {
  return serviceError(status.CANCELLED, 'the caller has given the call up');
}

/** Whether the database was out of reach. An outage must never look like a missing key or account. */
function isDatabaseUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'PrismaClientInitializationError') return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (UNREACHABLE.has(code) || NETWORK.has(code)) return true;
  const raw = rawQueryFailure.safeParse(error).data?.meta.driverAdapterError.cause;
  // FATAL means that the server ended or refused the connection.
  if (raw !== undefined && (raw.severity === 'FATAL' || LOST_CONNECTION.has(raw.kind))) return true;
  if (
    /can't reach database server|connection terminated|timeout exceeded when trying to connect|query read timeout/i.test(
      error.message,
    )
  )
    return true;
  return isDatabaseUnreachable(error.cause);
}

/**
 * Whether the error comes from a NUL character, which Postgres accepts in no text. Callers pass on what
 * people send, so this is a mistake of the caller.
 */
function holdsNul(error: unknown): boolean {
  return INVALID_BYTE_SEQUENCES.has(postgresCode(error));
}

/** Returns the code of a query that Postgres refused or ended, through Prisma or not. */
function postgresCode(error: unknown): string | undefined {
  const byPrisma = rawQueryFailure.safeParse(error).data?.meta.driverAdapterError.cause.originalCode;
  if (byPrisma !== undefined) return byPrisma;
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function serviceError(code: status, details: string): ServiceError {
  return Object.assign(new Error(details), { code, details, metadata: new Metadata() });
}
