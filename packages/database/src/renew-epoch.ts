import { Client } from 'pg';

/**
 * Tells control planes that the database was restored, when they could not notice: they and the data planes
 * drop cached data.
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
