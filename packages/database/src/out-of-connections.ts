/** `too_many_connections`: of server, database or role. */
const TOO_MANY_CONNECTIONS = '53300';

/** Returns true when Postgres or a pooler has no connection left. */
export function isOutOfConnections(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === TOO_MANY_CONNECTIONS;
}
