import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { until } from '@model-gateway/test-kit/until';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { applyMigrations } from '../src/index.ts';
import { emptyDatabase, migrationFolder } from './migrations-fixture.ts';

const DATABASE_PACKAGE = new URL('../src/index.ts', import.meta.url).href;
const TABLE = {
  '1_busy': 'CREATE TABLE busy (id INT, name TEXT); INSERT INTO busy VALUES (1, $$a$$), (2, $$a$$);',
};
const COLUMN = 'ALTER TABLE busy ADD COLUMN more TEXT;';
const INDEX = 'CREATE UNIQUE INDEX CONCURRENTLY "busy_name_key" ON "busy"("name");';
const FAST = { lockRetries: { lockTimeoutMs: 50, pauseMs: 50 } };

const WAITING_FOR_OTHERS =
  "SELECT FROM pg_stat_activity WHERE query ~ '^(ALTER TABLE|(CREATE|DROP) INDEX)' AND wait_event_type = 'Lock'";

/** Applies migrations in another process, to be killed like a machine that loses power. */
async function killableRunner(url: string, folder: string) {
  const program = `
    const { applyMigrations } = await import(${JSON.stringify(DATABASE_PACKAGE)});
    await applyMigrations(${JSON.stringify(url)}, { folder: ${JSON.stringify(folder)} });`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { kill, [Symbol.asyncDispose]: kill };
}

/** Opens a transaction that uses the table `busy`. */
async function openTransaction(url: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('BEGIN');
  await client.query('SELECT count(*) FROM busy');
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

it('a migration waiting for a lock lets requests proceed between attempts, and succeeds when the lock is free', async () => {
  await using database = await emptyDatabase();
  await using migrations = await migrationFolder(TABLE);
  await applyMigrations(database.url, migrations);
  await migrations.write('2_column', COLUMN);
  await using holder = await openTransaction(database.url);
  let retries = 0;
  const applying = applyMigrations(database.url, {
    ...migrations,
    lockRetries: { lockTimeoutMs: 50, pauseMs: 50, attempts: 1_000 },
    onRetry: () => void retries++,
  });
  // Without a timeout, all readers would wait behind the migration.
  await until(() => retries >= 2);
  expect(await database.rows('SELECT name FROM busy WHERE id = 1')).toEqual([{ name: 'a' }]);
  await until(() => retries >= 4);
  await holder.query('COMMIT');
  expect(await applying).toMatchObject({ applied: ['2_column'] });
});

it('a migration killed while it waits for a lock leaves nothing, and the next run needs no repair', async () => {
  await using database = await emptyDatabase();
  await using migrations = await migrationFolder(TABLE);
  await applyMigrations(database.url, migrations);
  await migrations.write('2_column', COLUMN);
  await using holder = await openTransaction(database.url);
  await using runner = await killableRunner(database.url, migrations.folder);
  await until(async () => (await database.rows(WAITING_FOR_OTHERS)).length === 1);
  await runner.kill();
  await holder.query('COMMIT');
  expect(await applyMigrations(database.url, migrations)).toMatchObject({ applied: ['2_column'] });
});

it('a migration gives up after its attempts at a lock and leaves nothing, and the next run needs no repair', async () => {
  await using database = await emptyDatabase();
  await using migrations = await migrationFolder(TABLE);
  await applyMigrations(database.url, migrations);
  await migrations.write('2_column', COLUMN);
  {
    await using _holder = await openTransaction(database.url);
    const giveUp = applyMigrations(database.url, {
      ...migrations,
      lockRetries: { lockTimeoutMs: 50, pauseMs: 50, attempts: 3 },
    });
    await expect(giveUp).rejects.toThrow(/2_column failed: canceling statement due to lock timeout/);
  }
  expect(await applyMigrations(database.url, migrations)).toMatchObject({ applied: ['2_column'] });
});

it('an index built CONCURRENTLY runs outside of a transaction and is recorded like any migration', async () => {
  await using database = await emptyDatabase();
  await using migrations = await migrationFolder({
    ...TABLE,
    '2_index': `-- Names are looked up.\n${INDEX.replace('UNIQUE ', '')}\n`,
    '3_gone': 'DROP INDEX CONCURRENTLY "busy_name_key";',
  });
  await applyMigrations(database.url, { ...migrations, ...FAST });
  const rows = await database.rows(
    "SELECT finished_at IS NOT NULL AS done, applied_steps_count, length(checksum) FROM _prisma_migrations WHERE migration_name = '2_index'",
  );
  expect(rows).toEqual([{ done: true, applied_steps_count: 1, length: 64 }]);
});

it('an interrupted CONCURRENTLY index is dropped and rebuilt by the next run', async () => {
  await using database = await emptyDatabase();
  await using migrations = await migrationFolder({ ...TABLE, '2_index': INDEX });
  await expect(applyMigrations(database.url, migrations)).rejects.toThrow(/2_index failed: could not create/);
  const invalid = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('busy_name_key')";
  expect(await database.rows(invalid)).toEqual([{ indisvalid: false }]);
  await database.rows('DELETE FROM busy WHERE id = 2');
  expect(await applyMigrations(database.url, migrations)).toMatchObject({ applied: ['2_index'] });
  expect(await database.rows(invalid)).toEqual([{ indisvalid: true }]);
});

it.each([
  ['built', INDEX.replace('UNIQUE ', ''), true],
  ['dropped', 'DROP INDEX CONCURRENTLY "busy_name_key";', false],
])('an index that Postgres %s after its runner was killed needs no repair', async (_what, sql, isThere) => {
  await using database = await emptyDatabase();
  await using migrations = await migrationFolder(TABLE);
  await applyMigrations(database.url, migrations);
  if (!isThere) await database.rows('CREATE INDEX busy_name_key ON busy (name)');
  await migrations.write('2_index', sql);
  await using holder = await openTransaction(database.url);
  await holder.query("INSERT INTO busy VALUES (3, 'c')");
  await using runner = await killableRunner(database.url, migrations.folder);
  await until(async () => (await database.rows(WAITING_FOR_OTHERS)).length === 1);
  await runner.kill();
  // Postgres notices a killed client only when it replies, so it finishes.
  await holder.query('COMMIT');
  expect(await applyMigrations(database.url, migrations)).toMatchObject({ applied: ['2_index'] });
  const index = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('busy_name_key')";
  expect(await database.rows(index)).toEqual(isThere ? [{ indisvalid: true }] : []);
});

it('a CONCURRENTLY index waits for an open transaction without blocking writers or another runner', async () => {
  await using database = await emptyDatabase();
  await using migrations = await migrationFolder(TABLE);
  await applyMigrations(database.url, migrations);
  await database.rows('DELETE FROM busy WHERE id = 2');
  await migrations.write('2_index', INDEX);
  await using holder = await openTransaction(database.url);
  await holder.query("INSERT INTO busy VALUES (3, 'c')");
  const runs = Promise.all([
    applyMigrations(database.url, migrations),
    applyMigrations(database.url, migrations),
  ]);
  const building = "SELECT FROM pg_stat_activity WHERE query ~ '^CREATE UNIQUE' AND wait_event_type = 'Lock'";
  await until(async () => (await database.rows(building)).length === 1);
  await database.rows("INSERT INTO busy VALUES (4, 'd')");
  await holder.query('COMMIT');
  expect((await runs).flatMap(({ applied }) => applied)).toEqual(['2_index']);
});
