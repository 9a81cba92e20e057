import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Client } from 'pg';

export interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

/** A row of _prisma_migrations. */
export interface AppliedRow {
  id: string;
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
  /** Null when it did not fail, or its process ended before recording that. */
  logs: string | null;
}

export async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(`${folder}/${name}/migration.sql`, 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

export async function readApplied(client: Client): Promise<AppliedRow[]> {
  const result = await client.query<AppliedRow>(
    'SELECT id, migration_name, checksum, finished_at, logs FROM _prisma_migrations WHERE ' +
      'rolled_back_at IS NULL ORDER BY started_at',
  );
  return result.rows;
}

/** Reads which migration a release needs to work with the schema. @returns undefined: any release works */
export async function readNeededMigration(client: Client): Promise<string | undefined> {
  const { rows } = await client.query<{ known: boolean }>(
    "SELECT to_regclass('installation') IS NOT NULL AS known",
  );
  if (rows[0]?.known !== true) return undefined;
  const needed = await client.query<{ name: string | null }>(
    'SELECT needs_migration AS name FROM installation',
  );
  return needed.rows[0]?.name ?? undefined;
}
