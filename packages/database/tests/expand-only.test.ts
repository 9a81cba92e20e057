import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { migrationProblems } from './lint-migration.ts';

/** Each release works on the next one's schema. No release comes before this migration. */
const BASE = '20261124000000_base';
const FOLDER = new URL('../../../prisma/migrations/', import.meta.url);

const names = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name > BASE)
  .map(({ name }) => name);

it('every migration after the base only adds to the schema and locks no large table', () => {
  for (const name of names) {
    const sql = readFileSync(new URL(`${name}/migration.sql`, FOLDER), 'utf8');
    expect({ name, problems: migrationProblems(sql) }).toEqual({ name, problems: [] });
  }
});

it.each([
  ['DROP TABLE "teams";', 'drops a table'],
  ['ALTER TABLE "teams" DROP COLUMN "name";', 'drops a column'],
  ['ALTER TABLE "teams" DROP "name";', 'drops a column'],
  ['ALTER TABLE "teams" RENAME COLUMN "name" TO "title";', 'renames'],
  ['ALTER TABLE "teams" RENAME TO "groups";', 'renames'],
  ['ALTER TABLE "teams" ALTER COLUMN "name" SET DATA TYPE INT;', 'changes a type'],
  ['ALTER TABLE "teams" ALTER COLUMN "name" TYPE INT;', 'changes a type'],
  ['ALTER TABLE "teams" ALTER COLUMN "name" SET NOT NULL;', 'takes away NULL'],
  ['ALTER TABLE "teams" ALTER COLUMN "name" DROP DEFAULT;', 'takes away a default'],
  [
    'ALTER TABLE "teams" ADD COLUMN "x" TEXT NOT NULL;',
    'adds a column that the previous release cannot fill',
  ],
  ['DROP FUNCTION lock_pools(text[]);', 'drops a function'],
  ['CREATE INDEX "i" ON "usage_records"("key_id");', 'builds an index on usage_records under a lock'],
  ['CREATE INDEX CONCURRENTLY "i" ON "teams"("id"); SELECT 1;', 'does more than its one concurrent index'],
  ['-- contracts: needs 1_x\nDROP TABLE "teams";', 'does not write down that it needs 1_x'],
])('the migration check rejects %s, which would break the previous release', (sql, problem) => {
  expect(migrationProblems(sql)).toEqual([problem]);
});

it('the migration check accepts additions and marked statements', () => {
  for (const sql of [
    'CREATE TABLE "x" ("id" INT NOT NULL); CREATE INDEX "i" ON "x"("id");',
    'ALTER TABLE "teams" ADD COLUMN "x" TEXT, ADD COLUMN "y" INT NOT NULL DEFAULT 0;',
    'ALTER TABLE "teams" RENAME TO "old"; ALTER INDEX "i" RENAME TO "j"; CREATE TABLE "teams" ("id" INT);',
    'ALTER TABLE "teams" DROP CONSTRAINT "c", ALTER COLUMN "name" DROP NOT NULL;',
    'CREATE INDEX CONCURRENTLY "i" ON "usage_records"("key_id");',
    'CREATE OR REPLACE FUNCTION f() RETURNS void LANGUAGE sql AS $$ DROP TABLE x $$; -- DROP TABLE y',
    "-- contracts: needs 1_x\nDROP TABLE teams; UPDATE installation SET needs_migration = '1_x';",
  ]) {
    expect({ sql, problems: migrationProblems(sql) }).toEqual({ sql, problems: [] });
  }
});
