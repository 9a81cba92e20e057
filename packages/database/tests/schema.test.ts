import { expect, it } from 'vitest';
import { applyMigrations } from '../src/index.ts';
import { emptyDatabase } from './migrations-fixture.ts';
import { parseSchema, type SchemaFacts } from './parse-schema.ts';

/** Facts outside of Prisma's language, found only in the migrations. */
const ONLY_IN_SQL = [
  'partial unique seats(team_id, account_id)',
  'partial index allowances(instance_id)',
  'partial index allowances(budgets)',
  'partial unique contents_keys(account_id)',
  'partial unique ledger_entries(settlement, pool_id)',
  'partial unique price_lists(is_default)',
  "partial index usage_records((ended_at AT TIME ZONE 'UTC'::text))",
  'partial index usage_rollups(model_id, bucket)',
  "partial index audit_events((actor ->> 'id'::text), at)",
  "partial index audit_events((actor ->> 'email'::text), at)",
  'partial index webhook_deliveries(target, due_at)',
  "partial index events(account_id, (data ->> 'end_user'::text))",
  ...['accounts', 'account_members'].flatMap((table) => [
    `partial index ${table}(lower(name))`,
    `partial index ${table}(lower(email))`,
  ]),
  'partial index teams(lower(name))',
  'partial index api_keys(lower(name))',
  'partial index api_keys(lower(display_prefix))',
  'partial index end_users(lower(id))',
  'partial index usage_label_days(lower(value))',
];

const COLUMNS = `
  SELECT c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
    || CASE WHEN a.attnotnull THEN ', not null' ELSE ', null' END
    || CASE WHEN a.atthasdef THEN ', default' ELSE ', no default' END AS fact
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'p', 'f')
    AND a.attnum > 0 AND NOT a.attisdropped AND c.relname <> '_prisma_migrations'
    AND NOT c.relispartition`;

const INDEXES = `
  SELECT CASE WHEN i.indpred IS NULL AND i.indexprs IS NULL THEN '' ELSE 'partial ' END
    || CASE WHEN i.indisprimary THEN 'primary ' WHEN i.indisunique THEN 'unique ' ELSE 'index ' END
    || c.relname || '(' || (
      SELECT string_agg(replace(pg_get_indexdef(i.indexrelid, n, true), '"', ''), ', ' ORDER BY n)
      FROM generate_series(1, i.indnkeyatts) AS n
    ) || ')' AS fact
  FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relname <> '_prisma_migrations'
    AND NOT c.relispartition`;

const FOREIGN_KEYS = `
  SELECT f.conrelid::regclass || '(' || columns(f.conrelid, f.conkey) || ') -> '
    || f.confrelid::regclass || '(' || columns(f.confrelid, f.confkey) || ') on delete '
    || CASE f.confdeltype WHEN 'r' THEN 'Restrict' WHEN 'c' THEN 'Cascade' WHEN 'n' THEN 'SetNull'
         WHEN 'a' THEN 'NoAction' ELSE 'SetDefault' END AS fact
  FROM pg_constraint f WHERE f.contype = 'f'`;

const COLUMNS_FUNCTION = `
  CREATE FUNCTION columns(oid, smallint[]) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(a.attname, ', ' ORDER BY k.place)
    FROM unnest($2) WITH ORDINALITY AS k (number, place)
    JOIN pg_attribute a ON a.attrelid = $1 AND a.attnum = k.number
  $$`;

async function migratedFacts(): Promise<SchemaFacts> {
  await using database = await emptyDatabase();
  await applyMigrations(database.url);
  await database.rows(COLUMNS_FUNCTION);
  const facts = async (sql: string) => (await database.rows<{ fact: string }>(sql)).map(({ fact }) => fact);
  return {
    columns: await facts(COLUMNS),
    indexes: await facts(INDEXES),
    foreignKeys: await facts(FOREIGN_KEYS),
  };
}

it("prisma/schema.prisma and the migrations agree on every column's type, nullability and default", async () => {
  const { columns } = parseSchema();
  expect(columns.length).toBeGreaterThan(60);
  expect((await migratedFacts()).columns.sort()).toEqual(columns.sort());
});

it('prisma/schema.prisma and the migrations agree on every key and index that Prisma can express', async () => {
  const { indexes } = parseSchema();
  expect((await migratedFacts()).indexes.sort()).toEqual([...indexes, ...ONLY_IN_SQL].sort());
});

it('prisma/schema.prisma and the migrations agree on every foreign key and its ON DELETE', async () => {
  const { foreignKeys } = parseSchema();
  expect(foreignKeys).not.toHaveLength(0);
  expect((await migratedFacts()).foreignKeys.sort()).toEqual(foreignKeys.sort());
});
