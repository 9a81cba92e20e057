import { until } from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { manage } from '../fixtures/management-fixture.ts';

const control = useControlPlanes();
const api = manage(control);

const PATH = '/admin/v1/ledger/verifications';
const listed = z.object({ data: z.array(z.looseObject({ id: z.string(), state: z.string() })) });

async function newest() {
  return listed.parse((await api.get(PATH)).body).data[0];
}

/** Makes checks of the ledger wait, while `work` runs and for the seconds after it has begun. */
async function whileHeld<Result>(seconds: number, work: () => Promise<Result>): Promise<Result> {
  await using sql = openSql(control.databaseUrl);
  // Prisma runs it as soon as somebody waits for it.
  const held = Promise.resolve(sql.run(`DO $$ BEGIN LOCK TABLE pools; PERFORM pg_sleep(${seconds}); END $$`));
  const locks =
    "SELECT 1 AS held FROM pg_locks WHERE relation = 'pools'::regclass AND mode = 'AccessExclusiveLock'";
  await until(async () => (await control.query(locks)).length > 0);
  const result = await work();
  await held;
  return result;
}

it('of many checks that start at once one runs', async () => {
  const started = await whileHeld(3, () => Promise.all(Array.from({ length: 20 }, () => api.post(PATH, {}))));
  expect(new Set(started.map(({ body }) => body.id)).size).toBe(1);
  await until(async () => (await newest())?.state === 'done');
});

it('a result that cannot be stored at first is stored later', async () => {
  await whileHeld(2, async () => {
    await api.post(PATH, {});
    await control.query('ALTER TABLE verifications RENAME problem TO no_problem');
  });
  await until(() => Promise.resolve(control.logText().includes('could not be stored')));
  await control.query('ALTER TABLE verifications RENAME no_problem TO problem');
  expect(await newest()).toMatchObject({ state: 'running' });
  await until(async () => (await newest())?.state === 'done');
});
