import { Client, type ClientBase } from 'pg';

const PATIENCE_MS = 5_000;

/**
 * Cancels the query of a connection, over another one, because the pool may be exhausted.
 * @returns false when the server could not be asked: discard the connection
 */
export async function cancelBackend(databaseUrl: string, busy: ClientBase): Promise<boolean> {
  const pid = 'processID' in busy && typeof busy.processID === 'number' ? busy.processID : undefined;
  if (pid === undefined) return false;
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  // The failing query reports a lost connection.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT pg_cancel_backend($1)', [pid]);
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
