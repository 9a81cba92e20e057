import { escapeIdentifier } from 'pg';
import { withClient } from './with-client.ts';

/** As in the services' pool: on a busy machine a connection may take seconds. */
const CONNECTION_TIMEOUT_MS = 20_000;

export interface CreateDatabaseOptions {
  /** Database without connections to copy. */
  template?: string;
}

/** @param adminUrl any database of a user who may create databases */
export async function createDatabase(
  adminUrl: string,
  name: string,
  { template }: CreateDatabaseOptions = {},
): Promise<void> {
  await withClient(adminOf(adminUrl), async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 1) return;
    const copy = template === undefined ? '' : ` TEMPLATE ${escapeIdentifier(template)}`;
    await client.query(`CREATE DATABASE ${escapeIdentifier(name)}${copy}`);
  });
}

export async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  await withClient(adminOf(adminUrl), async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)} WITH (FORCE)`);
  });
}

export function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

function adminOf(adminUrl: string) {
  return { connectionString: adminUrl, connectionTimeoutMillis: CONNECTION_TIMEOUT_MS };
}
