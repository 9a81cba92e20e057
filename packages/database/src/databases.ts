import { Client, escapeIdentifier } from 'pg';

/** As long as in the pool of the services: on a busy machine a connection may take seconds. */
const CONNECTION_TIMEOUT_MS = 20_000;

export interface CreateDatabaseOptions {
  /** An existing database without connections; the new one is its copy. */
  template?: string;
}

/** Creates a database unless it exists. @param adminUrl any database of a user who may create databases */
export async function createDatabase(
  adminUrl: string,
  name: string,
  { template }: CreateDatabaseOptions = {},
): Promise<void> {
  await run(adminUrl, async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 1) return;
    const copy = template === undefined ? '' : ` TEMPLATE ${escapeIdentifier(template)}`;
    await client.query(`CREATE DATABASE ${escapeIdentifier(name)}${copy}`);
  });
}

/** Drops a database, and cuts its connections. */
export async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  await run(adminUrl, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)} WITH (FORCE)`);
  });
}

/** Returns the URL of another database on the same server, for the same user. */
export function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function run(adminUrl: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: adminUrl, connectionTimeoutMillis: CONNECTION_TIMEOUT_MS });
  // A lost connection makes its queries fail, which is enough. Without a listener, this event would end the
  // process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
