import { cancelBackend } from '@model-gateway/database';
import { Client } from 'pg';

/** Checks read many millions of rows. */
const STATEMENT_TIMEOUT = '10min';

export interface ReadSnapshot extends AsyncDisposable {
  /** Returns unchecked rows. @throws the signal's reason, or the error of pg */
  query(sql: string, values?: unknown[]): Promise<unknown[]>;
}

/**
 * Opens a consistent view of the database on a connection of its own, because checks run longer than queries
 * may.
 * @param signal cancels the running query
 */
export async function openSnapshot(databaseUrl: string, signal: AbortSignal): Promise<ReadSnapshot> {
  await using stack = new AsyncDisposableStack();
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  // The failing query reports a lost connection.
  client.on('error', () => undefined);
  await client.connect();
  stack.defer(() => client.end());
  const cancel = () => void cancelBackend(databaseUrl, client);
  signal.addEventListener('abort', cancel, { once: true });
  stack.defer(() => signal.removeEventListener('abort', cancel));
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await client.query(`SET LOCAL statement_timeout = '${STATEMENT_TIMEOUT}'`);
  const owned = stack.move();
  return {
    async query(sql, values = []) {
      signal.throwIfAborted();
      return (await client.query(sql, values)).rows;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
