import { expect, it } from 'vitest';
import { applyMigrations } from '../src/index.ts';
import { emptyDatabase, migrationFolder } from './migrations-fixture.ts';

const TABLE = {
  '1_parts': `CREATE TABLE parts (id INT, at TIMESTAMPTZ) PARTITION BY RANGE (id);
    CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (1) TO (10);
    CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (10) TO (20);
    INSERT INTO parts SELECT i, now() FROM generate_series(1, 19) AS i;`,
};
const INDEX = `-- Finds parts by time.
CREATE INDEX CONCURRENTLY "parts_at_idx" ON "parts" (("at" AT TIME ZONE 'UTC'));`;
const INDEXES = `
  SELECT c.relname AS name, i.indisvalid AS valid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE c.relname LIKE 'parts%' ORDER BY 1`;

it('an index of a partitioned table is built in each partition, also after an interrupted run', async () => {
  await using database = await emptyDatabase();
  await using migrations = await migrationFolder(TABLE);
  await applyMigrations(database.url, migrations);
  // A run that is killed after the first partition leaves this.
  await database.rows(`CREATE INDEX "parts_at_idx" ON ONLY "parts" (("at" AT TIME ZONE 'UTC'))`);
  await database.rows(`CREATE INDEX "parts_1_at_idx" ON "parts_1" (("at" AT TIME ZONE 'UTC'))`);
  await migrations.write('2_index', INDEX);
  expect(await applyMigrations(database.url, migrations)).toMatchObject({ applied: ['2_index'] });
  expect(await database.rows(INDEXES)).toEqual(
    ['parts_1_at_idx', 'parts_2_at_idx', 'parts_at_idx'].map((name) => ({ name, valid: true })),
  );
  await database.rows('CREATE TABLE parts_3 PARTITION OF parts FOR VALUES FROM (20) TO (30)');
  expect(await database.rows(INDEXES)).toHaveLength(4);
});
