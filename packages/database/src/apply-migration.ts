import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Client, DatabaseError } from 'pg';
import { isConcurrent, isDone, runConcurrently } from './concurrent-index.ts';
import type { Migration } from './read-migrations.ts';

export interface LockRetries {
  /**
   * Time a statement waits for a lock; later requests for the same lock wait as long, because each lock has
   * one queue.
   */
  lockTimeoutMs: number;
  /** Attempts per migration. */
  attempts: number;
  /** Longest pause between two attempts; the first are shorter. */
  pauseMs: number;
}

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK_DETECTED = '40P01';
const FIRST_PAUSE_MS = 250;

/**
 * Applies a migration and records it in one transaction, so that a killed process leaves nothing. When it
 * does not get its lock in time, it rolls back, lets queued requests go on, and retries. A CONCURRENTLY index
 * runs outside of a transaction, but blocks nobody.
 * @param wasInterrupted true when an earlier run ended before Postgres reported the result
 * @param onRetry called with the reason of a retry
 * @throws Error that names the migration
 */
export async function applyMigration(
  client: Client,
  migration: Migration,
  { wasInterrupted, ...lockRetries }: LockRetries & { wasInterrupted: boolean },
  onRetry: (reason: string) => void,
): Promise<void> {
  const row = { id: randomUUID(), migration };
  try {
    if (isConcurrent(migration)) {
      await insertRow(client, row);
      if (!(wasInterrupted && (await isDone(client, migration)))) await runConcurrently(client, migration);
      await client.query(FINISH, [row.id]);
    } else {
      await runInTransaction(client, row, lockRetries, onRetry);
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    await noteFailure(client, row, reason, isLockFailure(cause));
    throw new Error(`the migration ${migration.name} failed: ${reason}`, { cause });
  }
}

interface Row {
  id: string;
  migration: Migration;
}

const FINISH = 'UPDATE _prisma_migrations SET finished_at = now(), applied_steps_count = 1 WHERE id = $1';

async function insertRow(client: Client, { id, migration: { checksum, name } }: Row): Promise<void> {
  await client.query(
    'INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3) ' +
      'ON CONFLICT DO NOTHING',
    [id, checksum, name],
  );
}

async function runInTransaction(
  client: Client,
  row: Row,
  { lockTimeoutMs, attempts, pauseMs }: LockRetries,
  onRetry: (reason: string) => void,
): Promise<void> {
  const { name, sql } = row.migration;
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query('BEGIN');
      await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
      // Same transaction: otherwise a killed process would leave a migration and a record that disagree,
      // which would stop the next run.
      await insertRow(client, row);
      await client.query(sql);
      await client.query(FINISH, [row.id]);
      await client.query('COMMIT');
      return;
    } catch (error) {
      if (!isLockFailure(error) || attempt >= attempts) throw error;
      await client.query('ROLLBACK');
      onRetry(`${name}: ${error.message}, attempt ${attempt} of ${attempts}`);
      // Random, so that the attempt does not meet the same regular job each time.
      await wait(Math.min(pauseMs, FIRST_PAUSE_MS * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2));
    }
  }
}

function isLockFailure(error: unknown): error is DatabaseError {
  return (
    error instanceof DatabaseError && (error.code === LOCK_NOT_AVAILABLE || error.code === DEADLOCK_DETECTED)
  );
}

/** @param leftNothing true when nothing needs repair and the next run simply begins again */
async function noteFailure(client: Client, row: Row, reason: string, leftNothing: boolean): Promise<void> {
  try {
    await client.query('ROLLBACK');
    if (leftNothing) {
      await client.query('DELETE FROM _prisma_migrations WHERE id = $1', [row.id]);
      return;
    }
    await insertRow(client, row);
    await client.query('UPDATE _prisma_migrations SET logs = $2 WHERE id = $1', [row.id, reason]);
  } catch {}
}
