import { cp } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { applyMigrations, assertMigrated } from '../src/index.ts';
import { type EmptyDatabase, emptyDatabase, migrationFolder } from './migrations-fixture.ts';

const FIRST = { '1_first': 'CREATE TABLE first (id INT);' };
const SECOND = { '2_second': 'CREATE TABLE second (id INT); INSERT INTO second VALUES (1);' };
const OWN_MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));

interface Row {
  migration_name: string;
  finished: boolean;
  logs: string | null;
  applied_steps_count: number;
}
const recorded = (database: EmptyDatabase) =>
  database.rows<Row>(
    'SELECT migration_name, finished_at IS NOT NULL AS finished, logs, ' +
      'applied_steps_count FROM _prisma_migrations ORDER BY started_at',
  );

it('migrations bring an empty database up to date, and a second run does nothing', async () => {
  await using database = await emptyDatabase();
  await expect(assertMigrated(database.url)).rejects.toThrow(/lacks migrations/);
  expect(await database.tables()).toEqual([]);

  const seen: string[] = [];
  const { applied } = await applyMigrations(database.url, { onApplied: (name) => seen.push(name) });
  expect(applied).not.toHaveLength(0);
  expect(seen).toEqual(applied);
  await assertMigrated(database.url);

  const before = await database.rows('SELECT * FROM _prisma_migrations');
  expect(await applyMigrations(database.url)).toEqual({ applied: [], newer: [] });
  expect(await database.rows('SELECT * FROM _prisma_migrations')).toEqual(before);
});

it('migrations run in name order, and later runs apply only new ones', async () => {
  await using database = await emptyDatabase();
  await using migrations = await migrationFolder({ ...SECOND, ...FIRST });
  expect(await applyMigrations(database.url, migrations)).toMatchObject({
    applied: ['1_first', '2_second'],
  });
  await migrations.write('3_third', 'ALTER TABLE first ADD COLUMN name TEXT;');
  expect(await applyMigrations(database.url, migrations)).toMatchObject({ applied: ['3_third'] });
  expect((await recorded(database)).every(({ finished }) => finished)).toBe(true);
});

it('five concurrent runners apply each migration once', async () => {
  await using database = await emptyDatabase();
  await using migrations = await migrationFolder({ ...FIRST, ...SECOND });
  const runs = await Promise.all(Array.from({ length: 5 }, () => applyMigrations(database.url, migrations)));
  expect(runs.flatMap(({ applied }) => applied)).toEqual(['1_first', '2_second']);
  expect(await recorded(database)).toHaveLength(2);
  expect(await database.rows('SELECT id FROM second')).toEqual([{ id: 1 }]);
});

it('runner and check refuse a migration edited after it was applied, by name, until its file is restored', async () => {
  await using database = await emptyDatabase();
  await using migrations = await migrationFolder(FIRST);
  await applyMigrations(database.url, migrations);
  await migrations.write('1_first', `${FIRST['1_first']} -- harmless?`);
  await migrations.write('2_second', SECOND['2_second']);
  await expect(applyMigrations(database.url, migrations)).rejects.toThrow(/1_first was changed/);
  await expect(assertMigrated(database.url, migrations)).rejects.toThrow(/1_first was changed/);
  expect(await database.tables()).not.toContain('second');

  await migrations.write('1_first', FIRST['1_first']);
  expect(await applyMigrations(database.url, migrations)).toMatchObject({ applied: ['2_second'] });
});

it.each([
  ['in its last statement', 'SELECT 1 / 0;', /division by zero/],
  ['in its syntax', 'CREATE TABEL wrong (id INT);', /syntax error/],
  [
    'only when it is committed',
    'CREATE TABLE child (id INT REFERENCES half (id) DEFERRABLE INITIALLY DEFERRED); ' +
      'INSERT INTO child VALUES (9);',
    /foreign key/,
  ],
])('a migration that fails %s leaves nothing, and the message names it', async (_name, end, reason) => {
  await using database = await emptyDatabase();
  await using migrations = await migrationFolder({
    ...FIRST,
    '2_broken': `CREATE TABLE half (id INT PRIMARY KEY); ${end}`,
    '3_never': 'CREATE TABLE never (id INT);',
  });
  const failure = applyMigrations(database.url, migrations);
  await expect(failure).rejects.toThrow(/the migration 2_broken failed/);
  await expect(failure).rejects.toThrow(reason);
  expect(await database.tables()).toEqual(['_prisma_migrations', 'first']);
  expect(await recorded(database)).toMatchObject([
    { migration_name: '1_first', finished: true, logs: null, applied_steps_count: 1 },
    { migration_name: '2_broken', finished: false, applied_steps_count: 0 },
  ]);
});

it('a migration that loses its connection leaves nothing to repair', async () => {
  await using database = await emptyDatabase();
  const cut = 'CREATE TABLE half (id INT); SELECT pg_terminate_backend(pg_backend_pid());';
  await using migrations = await migrationFolder({ ...FIRST, '2_cut': cut });
  await expect(applyMigrations(database.url, migrations)).rejects.toThrow(/2_cut failed: .*terminat/);
  expect(await database.tables()).toEqual(['_prisma_migrations', 'first']);
  expect(await recorded(database)).toMatchObject([{ migration_name: '1_first', finished: true }]);
});

it('a migration and its record commit together or not at all', async () => {
  await using database = await emptyDatabase();
  await using migrations = await migrationFolder(FIRST);
  await applyMigrations(database.url, migrations);
  await database.rows(`
    CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;
    CREATE TRIGGER die BEFORE UPDATE ON _prisma_migrations
      FOR EACH ROW WHEN (NEW.finished_at IS NOT NULL) EXECUTE FUNCTION die()`);
  await migrations.write('2_second', SECOND['2_second']);
  await expect(applyMigrations(database.url, migrations)).rejects.toThrow(/2_second failed/);
  expect(await database.tables()).not.toContain('second');
});

it('a failed migration stops the next run with instructions; a repaired one goes through', async () => {
  await using database = await emptyDatabase();
  await using migrations = await migrationFolder({ '1_broken': 'SELECT nonsense;' });
  await expect(applyMigrations(database.url, migrations)).rejects.toThrow(/1_broken failed: /);
  await expect(applyMigrations(database.url, migrations)).rejects.toThrow(
    /1_broken failed before: repair the database, then delete its row/,
  );
  await expect(assertMigrated(database.url, migrations)).rejects.toThrow(/1_broken failed before/);

  await migrations.write('1_broken', 'SELECT 1;');
  await database.rows("DELETE FROM _prisma_migrations WHERE migration_name = '1_broken'");
  expect(await applyMigrations(database.url, migrations)).toMatchObject({ applied: ['1_broken'] });
});

it('the start check names every missing migration and the command that applies them', async () => {
  await using database = await emptyDatabase();
  await using migrations = await migrationFolder({ ...FIRST, ...SECOND });
  await expect(assertMigrated(database.url, migrations)).rejects.toThrow(
    'the database lacks migrations (1_first, 2_second): run "npm run service -- migrate" first',
  );
  expect(await database.tables()).toEqual([]);
  await applyMigrations(database.url, migrations);
  await migrations.write('3_third', 'SELECT 1;');
  await expect(assertMigrated(database.url, migrations)).rejects.toThrow('lacks migrations (3_third)');
});

it('the start check accepts additions of a newer release', async () => {
  await using database = await emptyDatabase();
  await using newer = await migrationFolder({ ...FIRST, ...SECOND });
  await using older = await migrationFolder(FIRST);
  await applyMigrations(database.url, newer);
  await assertMigrated(database.url, older);
  expect(await applyMigrations(database.url, older)).toEqual({ applied: [], newer: ['2_second'] });
  expect(await recorded(database)).toHaveLength(2);
});

it('the start check refuses a schema from which a newer release removed what this one needs', async () => {
  await using database = await emptyDatabase();
  await applyMigrations(database.url);
  await using newer = await migrationFolder({});
  await cp(OWN_MIGRATIONS, newer.folder, { recursive: true });
  await newer.write('30000101000000_expand', 'ALTER TABLE teams ADD COLUMN title TEXT;');
  const contract = `ALTER TABLE teams DROP COLUMN name;
    UPDATE installation SET needs_migration = '30000101000000_expand';`;
  await newer.write('30000102000000_contract', contract);
  await applyMigrations(database.url, newer);
  await assertMigrated(database.url, newer);
  for (const run of [applyMigrations, assertMigrated]) {
    await expect(run(database.url)).rejects.toThrow(/too far ahead of this release.*30000101000000_expand/);
  }
});
