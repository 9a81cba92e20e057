import { z } from 'zod';

/** Prisma codes for an unreachable database, a timeout or a closed connection. */
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
/** Postgres codes for invalid bytes: in text, in JSON. */
const INVALID_BYTE_SEQUENCES = new Set<string | undefined>(['22021', '22P05']);
const QUERY_CANCELED = '57014';
const LOST_CONNECTION = new Set([
  'ConnectionClosed',
  'DatabaseNotReachable',
  'SocketTimeout',
  'TooManyConnections',
]);

/** Kinds of database failures that a response names. */
export type DatabaseFailure = 'unreachable' | 'too_slow' | 'nul';

/** Classifies an error of the database; undefined: it is unexpected. `nul`: a text of the caller has NUL. */
export function databaseFailureOf(error: unknown): DatabaseFailure | undefined {
  if (isDatabaseUnreachable(error)) return 'unreachable';
  if (postgresCode(error) === QUERY_CANCELED) return 'too_slow';
  return holdsNul(error) ? 'nul' : undefined;
}

/** Returns true for an outage, which must never look like a missing key or account. */
function isDatabaseUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'PrismaClientInitializationError') return true;
  const code = codeOf(error) ?? '';
  if (UNREACHABLE.has(code) || NETWORK.has(code)) return true;
  const raw = rawQueryFailure.safeParse(error).data?.meta.driverAdapterError.cause;
  // FATAL: the server ended or refused the connection.
  if (raw !== undefined && (raw.severity === 'FATAL' || LOST_CONNECTION.has(raw.kind))) return true;
  if (
    /can't reach database server|connection terminated|timeout exceeded when trying to connect|query read timeout/i.test(
      error.message,
    )
  )
    return true;
  return isDatabaseUnreachable(error.cause);
}

/** Returns true for a NUL character, which Postgres rejects in any text. The caller sent it. */
function holdsNul(error: unknown): boolean {
  return INVALID_BYTE_SEQUENCES.has(postgresCode(error));
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function postgresCode(error: unknown): string | undefined {
  const byPrisma = rawQueryFailure.safeParse(error).data?.meta.driverAdapterError.cause.originalCode;
  return byPrisma ?? codeOf(error);
}
