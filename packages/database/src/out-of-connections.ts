/** Postgres' code for `too_many_connections`: of the server, of the database or of the role. */
const TOO_MANY_CONNECTIONS = '53300';

/** Whether Postgres, or a pooler in front of it, has refused a connection because it has no more. */
export function isOutOfConnections(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === TOO_MANY_CONNECTIONS;
}
