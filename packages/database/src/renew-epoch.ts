import { withClient } from './with-client.ts';

/**
 * Begins a new epoch after a restore that control planes cannot notice by themselves: they and the data
 * planes drop cached data.
 * @returns the new epoch
 */
export async function renewEpoch(databaseUrl: string): Promise<string> {
  return await withClient({ connectionString: databaseUrl }, async (client) => {
    const { rows } = await client.query<{ epoch: string }>('SELECT renew_epoch(NULL) AS epoch');
    return rows[0]?.epoch ?? '';
  });
}
