import { Client, type ClientBase } from 'pg';

const PATIENCE_MS = 5_000;

/**
 * Ends the query that a connection is busy with. It uses a connection of its own, because the busy one cannot
 * take another query, and all those of a pool may be busy.
 * @returns false when the server could not be asked: then the connection must not be used again
 */
export async function cancelBackend(databaseUrl: string, busy: ClientBase): Promise<boolean> {
  const pid = 'processID' in busy && typeof busy.processID === 'number' ? busy.processID : undefined;
  if (pid === undefined) return false;
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  // A lost connection makes the query fail, so this event needs no further handling.
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
