import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type QueryResultRow } from 'pg';
import { inject } from 'vitest';
import { createDatabase, databaseUrl, dropDatabase } from '../src/index.ts';

export interface EmptyDatabase {
  url: string;
  rows<Row extends QueryResultRow>(sql: string): Promise<Row[]>;
  tables(): Promise<string[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function emptyDatabase(): Promise<EmptyDatabase> {
  const { adminUrl } = inject('postgres');
  const name = `gateway_empty_${randomBytes(8).toString('hex')}`;
  await createDatabase(adminUrl, name);
  const url = databaseUrl(adminUrl, name);
  async function rows<Row extends QueryResultRow>(sql: string): Promise<Row[]> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }
  return {
    url,
    rows,
    async tables() {
      const found = await rows<{ name: string }>(
        "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
      );
      return found.map((row) => row.name);
    },
    [Symbol.asyncDispose]: () => dropDatabase(adminUrl, name),
  };
}

export interface MigrationFolder {
  folder: string;
  write(name: string, sql: string): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Makes a folder of migrations, in the form of prisma/migrations. */
export async function migrationFolder(migrations: Record<string, string>): Promise<MigrationFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'model-gateway-migrations-'));
  const write = async (name: string, sql: string) => {
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, 'migration.sql'), sql);
  };
  for (const [name, sql] of Object.entries(migrations)) await write(name, sql);
  return { folder, write, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
