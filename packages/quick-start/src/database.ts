import { join } from 'node:path';
import { applyMigrations, createDatabase, databaseUrl } from '@model-gateway/database';
import { startEmbeddedPostgres } from '@model-gateway/database/embedded-postgres';

export interface Database extends AsyncDisposable {
  url: string;
  /** Undefined when the database is not ours to run. */
  pid: number | undefined;
}

/** A migrated database: the one given, or an embedded Postgres in the data directory. */
export async function openDatabase(dataDir: string, givenUrl: string | undefined): Promise<Database> {
  if (givenUrl) {
    await applyMigrations(givenUrl);
    return { url: givenUrl, pid: undefined, async [Symbol.asyncDispose]() {} };
  }
  const postgres = await startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres') });
  try {
    await createDatabase(postgres.url, 'gateway');
    const url = databaseUrl(postgres.url, 'gateway');
    await applyMigrations(url);
    return { url, pid: postgres.pid, [Symbol.asyncDispose]: () => postgres.stop() };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}
