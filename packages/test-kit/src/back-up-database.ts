import { randomBytes } from 'node:crypto';
import { createDatabase, databaseUrl, dropDatabase } from '@model-gateway/database';
import { inject } from 'vitest';
import { openSql } from './open-sql.ts';

/** A copy of a database at one moment. */
export interface DatabaseBackup extends AsyncDisposable {
  /** Replaces the database by the copy, also while services are connected to it. Everything newer is lost. */
  restore(): Promise<void>;
}

/** Copies a database of the test run's Postgres. Its connections are cut for a moment. */
export async function backUpDatabase(url: string): Promise<DatabaseBackup> {
  const { adminUrl } = inject('postgres');
  const name = new URL(url).pathname.slice(1);
  const copy = `${name}_${randomBytes(4).toString('hex')}`;
  const lost = `${copy}_lost`;
  await withoutConnections(adminUrl, name, () => createDatabase(adminUrl, copy, { template: name }));
  return {
    async restore() {
      await using sql = openSql(databaseUrl(adminUrl, 'postgres'));
      await withoutConnections(adminUrl, name, async () => {
        await sql.run(`ALTER DATABASE ${name} RENAME TO ${lost}`);
        await sql.run(`ALTER DATABASE ${copy} RENAME TO ${name}`);
      });
    },
    async [Symbol.asyncDispose]() {
      await dropDatabase(adminUrl, copy);
      await dropDatabase(adminUrl, lost);
    },
  };
}

async function withoutConnections(adminUrl: string, name: string, work: () => Promise<void>): Promise<void> {
  await using sql = openSql(databaseUrl(adminUrl, 'postgres'));
  await sql.run(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  try {
    await sql.rows('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', name);
    await work();
  } finally {
    await sql.run(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  }
}
