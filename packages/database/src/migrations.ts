import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';

/**
 * Applies prisma/migrations as `prisma migrate deploy` does, with the same table, checksums and lock, but without
 * its engine binary (docs/decisions/migrations-without-the-engine.md).
 */

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));
/** The advisory lock of Prisma's own migration engine. */
const LOCK = 72_707_369;

const CREATE_TABLE = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum VARCHAR(64) NOT NULL,
    finished_at TIMESTAMPTZ,
    migration_name VARCHAR(255) NOT NULL,
    logs TEXT,
    rolled_back_at TIMESTAMPTZ,
    started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`;

export interface MigrationOptions {
  onApplied?: (name: string) => void;
  /** The repository's own migrations unless given. */
  folder?: string;
}

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

interface AppliedRow {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
}

/**
 * Brings the database up to date. Several runners at once are fine: one works, the others wait and find nothing
 * to do.
 * @returns the names of the migrations applied now
 * @throws when a migration fails (it leaves nothing behind but its row), when one failed before, when an applied
 *   one was changed since, or when the database is ahead of this release
 */
export async function applyMigrations(
  databaseUrl: string,
  options: MigrationOptions = {},
): Promise<{ applied: string[] }> {
  const migrations = await readMigrations(options.folder ?? MIGRATIONS);
  return withClient(databaseUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await client.query(CREATE_TABLE);
    const pending = pendingOf(migrations, await readApplied(client));
    for (const migration of pending) {
      await applyOne(client, migration);
      options.onApplied?.(migration.name);
    }
    return { applied: pending.map(({ name }) => name) };
  });
}

/** @throws an error that names the pending migrations and what to do */
export async function assertMigrated(databaseUrl: string, options: MigrationOptions = {}): Promise<void> {
  const migrations = await readMigrations(options.folder ?? MIGRATIONS);
  const pending = await withClient(databaseUrl, async (client) => {
    const exists = await client.query("SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists");
    return pendingOf(migrations, exists.rows[0]?.exists === true ? await readApplied(client) : []);
  });
  if (pending.length === 0) return;
  const names = pending.map(({ name }) => name).join(', ');
  throw new Error(`the database lacks migrations (${names}): run "npm run service -- migrate" first`);
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(`${folder}/${name}/migration.sql`, 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

async function readApplied(client: Client): Promise<AppliedRow[]> {
  const result = await client.query<AppliedRow>(
    'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at',
  );
  return result.rows;
}

function pendingOf(migrations: readonly Migration[], applied: readonly AppliedRow[]): Migration[] {
  const byName = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const row of applied) {
    const migration = byName.get(row.migration_name);
    if (migration === undefined) {
      throw new Error(`the database is ahead of this release: it has the migration ${row.migration_name}`);
    }
    if (row.finished_at === null) {
      throw new Error(
        `the migration ${row.migration_name} failed before: repair the database, then delete its row`,
      );
    }
    if (row.checksum !== migration.checksum) {
      throw new Error(
        `the migration ${row.migration_name} was changed after it had been applied: restore its file`,
      );
    }
  }
  const done = new Set(applied.map((row) => row.migration_name));
  return migrations.filter(({ name }) => !done.has(name));
}

async function applyOne(client: Client, { name, sql, checksum }: Migration): Promise<void> {
  const id = randomUUID();
  await client.query('INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)', [
    id,
    checksum,
    name,
  ]);
  try {
    await client.query('BEGIN');
    await client.query(sql);
    // In the same transaction: a process killed here must not leave a migration that is there and counts as failed.
    await client.query(
      'UPDATE _prisma_migrations SET finished_at = now(), applied_steps_count = 1 WHERE id = $1',
      [id],
    );
    await client.query('COMMIT');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    await noteFailure(client, id, reason);
    throw new Error(`the migration ${name} failed: ${reason}`, { cause });
  }
}

async function noteFailure(client: Client, id: string, reason: string): Promise<void> {
  try {
    await client.query('ROLLBACK');
    await client.query('UPDATE _prisma_migrations SET logs = $2 WHERE id = $1', [id, reason]);
  } catch {
    // The connection is what failed: the server rolls back by itself, and the row without an end tells the rest.
  }
}

async function withClient<Result>(
  databaseUrl: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  // A lost connection also fails the query that is under way; unheard, this event would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    // Ends the session, and with it the lock.
    await client.end();
  }
}
