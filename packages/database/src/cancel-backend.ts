import type { ClientBase } from 'pg';
import { withClient } from './with-client.ts';

const TIMEOUT_MS = 5_000;

/**
 * Cancels the query of a connection, over another one, because the pool may be exhausted.
 * @returns false when the server could not be reached: discard the connection
 */
export async function cancelBackend(databaseUrl: string, busy: ClientBase): Promise<boolean> {
  const pid = 'processID' in busy && typeof busy.processID === 'number' ? busy.processID : undefined;
  if (pid === undefined) return false;
  const config = { connectionString: databaseUrl, query_timeout: TIMEOUT_MS };
  const cancelled = withClient(config, (client) => client.query('SELECT pg_cancel_backend($1)', [pid]));
  return await cancelled.then(
    () => true,
    () => false,
  );
}
