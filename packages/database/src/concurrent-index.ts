import type { Client } from 'pg';
import type { Migration } from './read-migrations.ts';

/** Captures the name, quoted or not, of an index built without blocking writers. */
const CREATE = /^CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+NOT\s+EXISTS\s+)?("[^"]+"|\w+)\s/i;
const DROP = /^DROP\s+INDEX\s+CONCURRENTLY\s+(?:IF\s+EXISTS\s+)?("[^"]+"|\w+)\s*(?:;|$)/i;

/** Returns true for a migration of one CONCURRENTLY index, which cannot run in a transaction. */
export function isConcurrent({ sql }: Pick<Migration, 'sql'>): boolean {
  const statement = withoutComments(sql);
  return CREATE.test(statement) || DROP.test(statement);
}

/**
 * Builds or drops the index. Drops an INVALID index of an interrupted build first: writes maintain it, but no
 * query uses it.
 */
export async function runConcurrently(client: Client, { sql }: Migration): Promise<void> {
  const quoted = createdBy(sql);
  // Blocks nobody, but takes long on a large table.
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

/** Returns true if an interrupted run is complete: Postgres may finish it after its client was killed. */
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
