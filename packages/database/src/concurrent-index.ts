import type { Client } from 'pg';
import type { Migration } from './read-migrations.ts';

/** The name, quoted or not, of an index that is built without keeping writers waiting. */
const CREATE = /^CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+NOT\s+EXISTS\s+)?("[^"]+"|\w+)\s/i;
const DROP = /^DROP\s+INDEX\s+CONCURRENTLY\s/i;

/** Whether a migration is one statement that builds or drops an index CONCURRENTLY, which no transaction may do. */
export function isConcurrent({ sql }: Pick<Migration, 'sql'>): boolean {
  const statement = withoutComments(sql);
  return CREATE.test(statement) || DROP.test(statement);
}

/**
 * Runs such a migration. A build that was broken off leaves an index that is INVALID: kept up to date by every write, used
 * by no query. It is dropped first, so that the next run mends it.
 */
export async function runConcurrently(client: Client, { sql }: Migration): Promise<void> {
  const quoted = CREATE.exec(withoutComments(sql))?.[1];
  // Neither waits in a way that others have to wait for, and a large table takes as long as it takes.
  await client.query('SET lock_timeout = 0');
  await client.query('SET statement_timeout = 0');
  try {
    if (quoted !== undefined && (await isInvalid(client, quoted))) {
      await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${quoted}`);
    }
    await client.query(sql);
  } finally {
    await client.query('RESET lock_timeout; RESET statement_timeout').catch(() => undefined);
  }
}

async function isInvalid(client: Client, quotedIndex: string): Promise<boolean> {
  const { rows } = await client.query<{ invalid: boolean }>(
    'SELECT NOT indisvalid AS invalid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [quotedIndex],
  );
  return rows[0]?.invalid === true;
}

function withoutComments(sql: string): string {
  return sql.replace(/^\s*--.*$/gm, '').trim();
}
