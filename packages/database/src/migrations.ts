import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { applyMigration, type LockPatience } from './apply-migration.ts';
import { isConcurrent } from './concurrent-index.ts';
import {
  type AppliedRow,
  type Migration,
  readApplied,
  readMigrations,
  readNeededMigration,
} from './read-migrations.ts';

/**
 * Applies prisma/migrations as `prisma migrate deploy` does, with the same table, checksums and lock, but
 * without its engine binary (docs/decisions/migrations-without-the-engine.md).
 */

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));
/** The advisory lock of Prisma's own migration engine. */
const LOCK = 72_707_369;
const LOCK_POLL_MS = 100;
/**
 * These add up to about four minutes, in which a long report or a vacuum that holds a lock may end. A migration
 * that waits for somebody who waits for it gives way: Postgres would end a request only after 1 s
 * (deadlock_timeout).
 */
const PATIENCE: LockPatience = { lockTimeoutMs: 700, attempts: 60, pauseMs: 4_000 };

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
  /** Called when a lock was not free in time; the migration is tried again. */
  onRetry?: (reason: string) => void;
  /** The default is the repository's own folder. */
  folder?: string;
  patience?: Partial<LockPatience>;
}

/** What remains to be done, and what a newer release has done. */
interface Comparison {
  pending: Migration[];
  /** The rows of interrupted index builds, which are begun again. */
  brokenOff: AppliedRow[];
  /** The names of applied migrations that this release does not have. */
  newer: string[];
}

/**
 * Brings the database up to date. Several runners may start at once: one works, and the others wait and find
 * nothing to do.
 * @returns `applied`: the names of the migrations that were applied now; `newer`: the names of those that
 *   only a newer release has
 * @throws when a migration fails (it leaves only its row, and not even that when it just got no lock), when
 *   one failed before (but an index build is begun again), when an applied one was changed since, or when a
 *   newer release has changed the schema so that this release cannot work with it
 */
export async function applyMigrations(
  databaseUrl: string,
  options: MigrationOptions = {},
): Promise<{ applied: string[]; newer: string[] }> {
  const migrations = await readMigrations(options.folder ?? MIGRATIONS);
  return withClient(databaseUrl, async (client) => {
    await takeLock(client);
    await client.query(CREATE_TABLE);
    const { pending, brokenOff, newer } = await compare(client, migrations);
    for (const { id } of brokenOff) await client.query('DELETE FROM _prisma_migrations WHERE id = $1', [id]);
    // A build that Postgres reported as failed (its row says why) is simply run again. For the others the
    // result is not known: Postgres may have finished them.
    const unknown = new Set(brokenOff.filter(({ logs }) => logs === null).map((row) => row.migration_name));
    for (const migration of pending) {
      const patience = { ...PATIENCE, ...options.patience, wasBrokenOff: unknown.has(migration.name) };
      await applyMigration(client, migration, patience, (reason) => options.onRetry?.(reason));
      options.onApplied?.(migration.name);
    }
    return { applied: pending.map(({ name }) => name), newer };
  });
}

/**
 * Makes sure that the schema is recent enough for this release. A newer release may have added to it: so a
 * release can be taken back, and control planes can be replaced one after another.
 * @throws an error that names the missing migrations and what to do; otherwise the errors of
 *   `applyMigrations`
 */
export async function assertMigrated(databaseUrl: string, options: MigrationOptions = {}): Promise<void> {
  const migrations = await readMigrations(options.folder ?? MIGRATIONS);
  const pending = await withClient(databaseUrl, async (client) => {
    const exists = await client.query("SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists");
    return exists.rows[0]?.exists === true ? (await compare(client, migrations)).pending : migrations;
  });
  if (pending.length === 0) return;
  const names = pending.map(({ name }) => name).join(', ');
  throw new Error(`the database lacks migrations (${names}): run "npm run service -- migrate" first`);
}

/**
 * Takes the lock. It does not use pg_advisory_lock, because a waiting statement has a snapshot, and another
 * runner that builds an index CONCURRENTLY would wait for the end of that statement.
 */
async function takeLock(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
      LOCK,
    ]);
    if (rows[0]?.taken === true) return;
    await wait(LOCK_POLL_MS);
  }
}

async function compare(client: Client, migrations: readonly Migration[]): Promise<Comparison> {
  const byName = new Map(migrations.map((migration) => [migration.name, migration]));
  const done = new Set<string>();
  const brokenOff: AppliedRow[] = [];
  const newer: string[] = [];
  for (const row of await readApplied(client)) {
    const migration = byName.get(row.migration_name);
    if (migration === undefined) {
      newer.push(row.migration_name);
      continue;
    }
    if (row.finished_at === null) {
      if (!isConcurrent(migration)) {
        throw new Error(
          `the migration ${row.migration_name} failed before: repair the database, then delete its row`,
        );
      }
      brokenOff.push(row);
      continue;
    }
    if (row.checksum !== migration.checksum) {
      throw new Error(
        `the migration ${row.migration_name} was changed after it had been applied: restore its file`,
      );
    }
    done.add(row.migration_name);
  }
  const needed = newer.length === 0 ? undefined : await readNeededMigration(client);
  if (needed !== undefined && !byName.has(needed)) {
    throw new Error(
      `the database is too far ahead of this release: its schema needs one with the migration ${needed}`,
    );
  }
  return { pending: migrations.filter(({ name }) => !done.has(name)), brokenOff, newer };
}

async function withClient<Result>(
  databaseUrl: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  // A lost connection makes its query fail. Without a listener, this event would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    // The end of the session also frees the lock.
    await client.end();
  }
}
