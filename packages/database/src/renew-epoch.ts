import { Client } from 'pg';

/**
 * Tells every control plane that the database has been restored, for the case that it could not notice by
 * itself. Everything that they and the data planes remember of it is dropped.
 * @returns the new epoch
 */
export async function renewEpoch(databaseUrl: string): Promise<string> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ epoch: string }>('SELECT renew_epoch(NULL) AS epoch');
    return rows[0]?.epoch ?? '';
  } finally {
    await client.end();
  }
}
