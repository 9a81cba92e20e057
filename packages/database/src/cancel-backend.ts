import { Client, type ClientBase } from 'pg';

const PATIENCE_MS = 5_000;

/**
 * Ends the query that a connection is busy with. It asks on a connection of its own: the busy one cannot be
 * asked, and those of a pool may all be as busy.
 * @returns false when it could not be asked: the connection must then not be used again
 */
export async function cancelBackend(databaseUrl: string, busy: ClientBase): Promise<boolean> {
  const pid = 'processID' in busy && typeof busy.processID === 'number' ? busy.processID : undefined;
  if (pid === undefined) return false;
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  // A connection that is lost meanwhile makes the query fail.
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
