import { globSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { beforeAll, expect, it } from 'vitest';
import { applyMigrations } from '../src/index.ts';
import { emptyDatabase } from './migrations-fixture.ts';

const ROOT = new URL('../../../', import.meta.url);
const FOLDER = new URL('prisma/functions/', ROOT);
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'));

/** Callers of functions: stores, the database package, other functions. */
const CALLERS = ['services/*/src/**/*-store.ts', 'packages/database/src/*.ts', 'prisma/functions/*.sql'];

/** Selects functions and triggers in Postgres' own form. */
const DEFINITIONS = `
  SELECT oid::regprocedure::text AS name, pg_get_functiondef(oid) AS definition
  FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL
  SELECT 'trigger ' || tgname, pg_get_triggerdef(oid) FROM pg_trigger
  WHERE NOT tgisinternal AND tgparentid = 0
  ORDER BY 1`;

type Definitions = Record<string, string>;

let migrated: Definitions;
/** Definitions after running each file in the migrated database. */
let withFile: Map<string, Definitions | Error>;

beforeAll(async () => {
  await using database = await emptyDatabase();
  await applyMigrations(database.url);
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    migrated = await definitions(client);
    withFile = new Map();
    for (const file of files) withFile.set(file, await definitionsWith(client, file));
  } finally {
    await client.end();
  }
});

async function definitions(client: Client): Promise<Definitions> {
  const { rows } = await client.query<{ name: string; definition: string }>(DEFINITIONS);
  return Object.fromEntries(rows.map(({ name, definition }) => [name, definition]));
}

async function definitionsWith(client: Client, file: string): Promise<Definitions | Error> {
  await client.query('BEGIN');
  try {
    await client.query(readFileSync(new URL(file, FOLDER), 'utf8'));
    return await definitions(client);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    await client.query('ROLLBACK');
  }
}

/** `lock_pools(text[])` → `lock_pools.sql` */
function fileOf(name: string): string {
  return `${name.slice(0, name.indexOf('('))}.sql`;
}

it('prisma/functions and the migrated database have the same functions, each in a file of its name', () => {
  const functions = Object.keys(migrated).filter((name) => !name.startsWith('trigger '));
  expect(files.sort()).toEqual(functions.map(fileOf).sort());
  for (const file of files) {
    const created = readFileSync(new URL(file, FOLDER), 'utf8').matchAll(
      /^CREATE OR REPLACE FUNCTION (\w+)/gm,
    );
    expect([...created].map(([, name]) => `${name}.sql`)).toEqual([file]);
  }
});

it.each(files)('%s in prisma/functions equals the migrated function', (file) => {
  expect(withFile.get(file)).toEqual(migrated);
});

it('every trigger stands in the file of its function', () => {
  const triggers = Object.keys(migrated).filter((name) => name.startsWith('trigger '));
  const written = files.flatMap((file) => [
    ...readFileSync(new URL(file, FOLDER), 'utf8').matchAll(/^CREATE OR REPLACE TRIGGER "(\w+)"/gm),
  ]);
  expect(written.map(([, name]) => `trigger ${name}`).sort()).toEqual(triggers);
});

/** Functions that only the previous release calls begin with this. */
const PREVIOUS_RELEASE = '-- For the previous release: ';

it('every SQL function has a caller, or had one in the previous release', () => {
  const calls = globSync(CALLERS, { cwd: fileURLToPath(ROOT) }).map((path) =>
    readFileSync(new URL(path, ROOT), 'utf8').replace(
      /^\s*(--|\/\/|\*|\/\*|CREATE OR REPLACE FUNCTION).*$/gm,
      '',
    ),
  );
  const uncalled = files
    .filter((file) => !readFileSync(new URL(file, FOLDER), 'utf8').startsWith(PREVIOUS_RELEASE))
    .map((file) => file.replace('.sql', ''))
    .filter((name) => !calls.some((text) => new RegExp(`\\b${name}\\(`).test(text)));
  expect(uncalled).toEqual([]);
});
