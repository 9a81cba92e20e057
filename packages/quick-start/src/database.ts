import { join } from 'node:path';
import { applyMigrations, createDatabase, databaseUrl } from '@model-gateway/database';
import { startEmbeddedPostgres } from '@model-gateway/database/embedded-postgres';
import type { RunningProcess } from './processes/restarted-process.ts';

export interface Database {
  url: string;
  /** Undefined for an external database. */
  embedded: EmbeddedDatabase | undefined;
}

export interface EmbeddedDatabase {
  port: number;
  logFile: string;
  first: RunningProcess;
  /** Starts Postgres again on the same data and the same port. It recovers what was committed by itself. */
  startAgain(): Promise<RunningProcess>;
}

/** Opens a migrated database: the given one, or an embedded Postgres in the data directory. */
export async function openDatabase(dataDir: string, givenUrl: string | undefined): Promise<Database> {
  if (givenUrl) {
    await applyMigrations(givenUrl);
    return { url: givenUrl, embedded: undefined };
  }
  const folder = join(dataDir, 'postgres');
  const postgres = await startEmbeddedPostgres({ dataDir: folder });
  try {
    await createDatabase(postgres.url, 'gateway');
    const url = databaseUrl(postgres.url, 'gateway');
    await applyMigrations(url);
    const { port, logFile } = postgres;
    const startAgain = () => startEmbeddedPostgres({ dataDir: folder, port });
    return { url, embedded: { port, logFile, first: postgres, startAgain } };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}
