import type { Client } from 'pg';
import type { Migration } from './read-migrations.ts';

/** Finds the name, quoted or not, of an index that is built without blocking writers. */
const CREATE = /^CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+NOT\s+EXISTS\s+)?("[^"]+"|\w+)\s/i;
const DROP = /^DROP\s+INDEX\s+CONCURRENTLY\s+(?:IF\s+EXISTS\s+)?("[^"]+"|\w+)\s*(?:;|$)/i;

/** Whether a migration only builds or drops one index CONCURRENTLY, which no transaction may do. */
export function isConcurrent({ sql }: Pick<Migration, 'sql'>): boolean {
  const statement = withoutComments(sql);
  return CREATE.test(statement) || DROP.test(statement);
}

/**
 * Runs such a migration. An interrupted build leaves an INVALID index: every write keeps it up to date, but
 * no query uses it. It is dropped first, so that the next run mends it.
 */
export async function runConcurrently(client: Client, { sql }: Migration): Promise<void> {
  const quoted = createdBy(sql);
  // Neither statement makes others wait, and on a large table it may take a long time.
  await client.query('SET lock_timeout = 0');
  await client.query('SET statement_timeout = 0');
  try {
    if (quoted !== undefined && (await stateOf(client, quoted)) === 'invalid') {
      await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${quoted}`);
    }
    await client.query(sql);
  } finally {
    await client.query('RESET lock_timeout; RESET statement_timeout').catch(() => undefined);
  }
}

/**
 * Whether such a migration, which was begun earlier, is complete: Postgres finishes building or dropping an
 * index even when the client that asked for it was killed.
 */
export async function isDone(client: Client, { sql }: Pick<Migration, 'sql'>): Promise<boolean> {
  const created = createdBy(sql);
  if (created !== undefined) return (await stateOf(client, created)) === 'valid';
  const dropped = DROP.exec(withoutComments(sql))?.[1];
  return dropped !== undefined && (await stateOf(client, dropped)) === 'none';
}

async function stateOf(client: Client, quotedIndex: string): Promise<'none' | 'invalid' | 'valid'> {
  const { rows } = await client.query<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [quotedIndex],
  );
  const [index] = rows;
  if (index === undefined) return 'none';
  return index.valid ? 'valid' : 'invalid';
}

function createdBy(sql: string): string | undefined {
  return CREATE.exec(withoutComments(sql))?.[1];
}

function withoutComments(sql: string): string {
  return sql.replace(/^\s*--.*$/gm, '').trim();
}
