import type { Client } from 'pg';
import type { Migration } from './read-migrations.ts';

/** Captures the name, quoted or not, of an index built without blocking writers, its table and the rest. */
const CREATE =
  /^CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+NOT\s+EXISTS\s+)?("[^"]+"|\w+)\s+ON\s+("[^"]+"|\w+)\s*([^;]*)/i;
const DROP = /^DROP\s+INDEX\s+CONCURRENTLY\s+(?:IF\s+EXISTS\s+)?("[^"]+"|\w+)\s*(?:;|$)/i;

/** Returns true for a migration of one CONCURRENTLY index, which cannot run in a transaction. */
export function isConcurrent({ sql }: Pick<Migration, 'sql'>): boolean {
  const statement = withoutComments(sql);
  return CREATE.test(statement) || DROP.test(statement);
}

/** Builds or drops the index; that of a partitioned table in each partition. */
export async function runConcurrently(client: Client, { sql }: Pick<Migration, 'sql'>): Promise<void> {
  const created = createdBy(sql);
  // Blocks nobody, but takes long on a large table.
  await client.query('SET lock_timeout = 0');
  await client.query('SET statement_timeout = 0');
  try {
    if (created === undefined) await client.query(sql);
    else if (await isPartitioned(client, created.table)) await buildInPartitions(client, created);
    else await build(client, created.name, sql);
  } finally {
    await client.query('RESET lock_timeout; RESET statement_timeout').catch(() => undefined);
  }
}

/** Returns true if an interrupted run is complete: Postgres may finish it after its client was killed. */
export async function isDone(client: Client, { sql }: Pick<Migration, 'sql'>): Promise<boolean> {
  const created = createdBy(sql);
  if (created !== undefined) return (await stateOf(client, created.name)) === 'valid';
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

interface CreatedIndex {
  /** Quoted or not, as the table. */
  name: string;
  table: string;
  /** Columns. */
  rest: string;
}

function createdBy(sql: string): CreatedIndex | undefined {
  const [, name, table, rest] = CREATE.exec(withoutComments(sql)) ?? [];
  return name === undefined || table === undefined || rest === undefined ? undefined : { name, table, rest };
}

/** Drops an INVALID index of an interrupted build first: writes maintain it, but no query uses it. */
async function build(client: Client, name: string, sql: string): Promise<void> {
  if ((await stateOf(client, name)) === 'invalid')
    await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  await client.query(sql);
}

async function isPartitioned(client: Client, table: string): Promise<boolean> {
  const { rows } = await client.query("SELECT FROM pg_class WHERE oid = to_regclass($1) AND relkind = 'p'", [
    table,
  ]);
  return rows.length > 0;
}

/**
 * Postgres builds no index of a partitioned table CONCURRENTLY: builds one in each partition, and the index
 * of the table from them. New partitions get theirs by themselves.
 */
async function buildInPartitions(client: Client, { name, table, rest }: CreatedIndex): Promise<void> {
  await client.query(`CREATE INDEX IF NOT EXISTS ${name} ON ONLY ${table} ${rest}`);
  const { rows } = await client.query<{ partition: string }>(
    `SELECT relname AS partition FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
     WHERE inhparent = to_regclass($1) AND NOT EXISTS (
       SELECT FROM pg_index JOIN pg_inherits part ON part.inhrelid = pg_index.indexrelid
       WHERE indrelid = pg_class.oid AND part.inhparent = to_regclass($2)
     ) ORDER BY 1`,
    [table, name],
  );
  const [parent, index] = [unquoted(table), unquoted(name)];
  for (const { partition } of rows) {
    const part = `"${index.replace(parent, partition)}"`;
    if ((await stateOf(client, part)) !== 'valid')
      await build(client, part, `CREATE INDEX CONCURRENTLY ${part} ON "${partition}" ${rest}`);
    await client.query(`ALTER INDEX ${name} ATTACH PARTITION ${part}`);
  }
}

function unquoted(name: string): string {
  return name.replaceAll('"', '');
}

function withoutComments(sql: string): string {
  return sql.replace(/^\s*--.*$/gm, '').trim();
}
