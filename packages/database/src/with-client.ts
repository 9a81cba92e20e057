import { Client, type ClientConfig } from 'pg';

/**
 * Connects for one piece of work.
 * @throws the error of pg, or of the work
 */
export async function withClient<Result>(
  config: ClientConfig,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionTimeoutMillis: 5_000, ...config });
  // The query reports a lost connection; without a listener, this event would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    // Also frees advisory locks.
    await client.end().catch(() => undefined);
  }
}
