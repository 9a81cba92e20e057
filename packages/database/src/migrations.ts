import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Client } from 'pg';
import { applyMigration, type LockRetries } from './apply-migration.ts';
import { isConcurrent } from './concurrent-index.ts';
import {
  type AppliedRow,
  type Migration,
  readApplied,
  readMigrations,
  readNeededMigration,
} from './read-migrations.ts';
import { withClient } from './with-client.ts';

/**
 * Applies prisma/migrations like `prisma migrate deploy` (same table, checksums and lock) without its engine
 * binary (docs/decisions/migrations-without-the-engine.md).
 */

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));
/** The advisory lock of Prisma's own migration engine. */
const LOCK = 72_707_369;
const LOCK_POLL_MS = 100;
/**
 * About four minutes in all, for a long report or vacuum to end. Each wait ends before deadlock_timeout (1
 * s), so that Postgres ends no request.
 */
const LOCK_RETRIES: LockRetries = { lockTimeoutMs: 700, attempts: 60, pauseMs: 4_000 };

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
  onRetry?: (reason: string) => void;
  /** Default: the repository's folder. */
  folder?: string;
  lockRetries?: Partial<LockRetries>;
}

/** Pending migrations, and those of a newer release. */
interface Comparison {
  pending: Migration[];
  /** Interrupted index builds, to run again. */
  interrupted: AppliedRow[];
  /** Applied migrations that this release does not have. */
  newer: string[];
}

/**
 * Migrates the database. Of several runners one works, and the others wait.
 * @returns `applied` now, and `newer`: those of a newer release
 * @throws when a migration fails, failed before (except index builds) or was edited, or when a newer schema
 *   is incompatible
 */
export async function applyMigrations(
  databaseUrl: string,
  options: MigrationOptions = {},
): Promise<{ applied: string[]; newer: string[] }> {
  const migrations = await readMigrations(options.folder ?? MIGRATIONS);
  return withClient({ connectionString: databaseUrl }, async (client) => {
    await takeLock(client);
    await client.query(CREATE_TABLE);
    const { pending, interrupted, newer } = await compare(client, migrations);
    for (const { id } of interrupted)
      await client.query('DELETE FROM _prisma_migrations WHERE id = $1', [id]);
    // Run a failed index build again. Of an interrupted one the result is unknown: Postgres may have finished
    // it.
    const unknown = new Set(interrupted.filter(({ logs }) => logs === null).map((row) => row.migration_name));
    for (const migration of pending) {
      const wasInterrupted = unknown.has(migration.name);
      const how = { ...LOCK_RETRIES, ...options.lockRetries, wasInterrupted };
      await applyMigration(client, migration, how, (reason) => options.onRetry?.(reason));
      options.onApplied?.(migration.name);
    }
    return { applied: pending.map(({ name }) => name), newer };
  });
}

/**
 * Checks that the schema has this release's migrations. Additions of a newer release are accepted, for
 * rollbacks and rolling upgrades.
 * @throws naming the missing migrations and the command, or as `applyMigrations`
 */
export async function assertMigrated(databaseUrl: string, options: MigrationOptions = {}): Promise<void> {
  const migrations = await readMigrations(options.folder ?? MIGRATIONS);
  const pending = await withClient({ connectionString: databaseUrl }, async (client) => {
    const exists = await client.query("SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists");
    return exists.rows[0]?.exists === true ? (await compare(client, migrations)).pending : migrations;
  });
  if (pending.length === 0) return;
  const names = pending.map(({ name }) => name).join(', ');
  throw new Error(`the database lacks migrations (${names}): run "npm run service -- migrate" first`);
}

/**
 * Polls instead of pg_advisory_lock: a waiting statement holds a snapshot, and a CONCURRENTLY index of
 * another runner would wait for it.
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
  const interrupted: AppliedRow[] = [];
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
      interrupted.push(row);
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
  return { pending: migrations.filter(({ name }) => !done.has(name)), interrupted, newer };
}
