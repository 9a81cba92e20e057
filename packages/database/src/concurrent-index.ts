import type { Client } from 'pg';
import type { Migration } from './read-migrations.ts';

/** The name, quoted or not, of an index that is built without keeping writers waiting. */
const CREATE = /^CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+NOT\s+EXISTS\s+)?("[^"]+"|\w+)\s/i;
const DROP = /^DROP\s+INDEX\s+CONCURRENTLY\s+(?:IF\s+EXISTS\s+)?("[^"]+"|\w+)\s*(?:;|$)/i;

/** Whether a migration only builds or drops one index CONCURRENTLY, which no transaction may do. */
export function isConcurrent({ sql }: Pick<Migration, 'sql'>): boolean {
  const statement = withoutComments(sql);
  return CREATE.test(statement) || DROP.test(statement);
}

/**
 * Runs such a migration. A build that was broken off leaves an index that is INVALID: kept up to date by
 * every write, used by no query. It is dropped first, so that the next run mends it.
 */
export async function runConcurrently(client: Client, { sql }: Migration): Promise<void> {
  const quoted = createdBy(sql);
  // Neither statement makes others wait behind it, and on a large table it takes as long as it takes.
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
 * Whether such a migration that was begun has come to its end: Postgres builds an index to its end, and drops
 * it, although whoever asked for that has been killed.
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
