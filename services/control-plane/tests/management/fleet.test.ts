import { until } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { manage } from '../fixtures/management-fixture.ts';
import { objectsOf } from '../fixtures/roles-fixture.ts';

const control = useControlPlanes();
const api = manage(control);

const items = z.array(z.looseObject({ id: z.string(), state: z.string().optional() }));
const processes = z.array(z.looseObject({ problems: z.array(z.string()) }));
const listed = z.object({ data: items });
const fleet = z.object({ control_planes: processes });
const storage = z.object({
  postgres: z.object({
    size_bytes: z.number(),
    replicas: z.array(z.unknown()),
    tables: z.array(z.object({ name: z.string(), rows: z.int().nullable() })),
  }),
});

it('control planes report themselves, and the state of Postgres is known', async () => {
  const controlPlanes = async () => fleet.parse((await api.get('/admin/v1/fleet')).body).control_planes;
  // The first report may come before the database's notifications are connected.
  await until(async () => (await controlPlanes())[0]?.problems.length === 0);
  expect((await controlPlanes())[0]).toMatchObject({
    live: true,
    version: expect.any(String),
    database_latency_ms: expect.any(Number),
    problems: [],
  });
  const { postgres } = storage.parse((await api.get('/admin/v1/fleet/storage')).body);
  expect(postgres.size_bytes).toBeGreaterThan(1_000_000);
  expect(postgres.replicas).toEqual([]);
  const names = postgres.tables.map(({ name }) => name);
  // The partitions of a table are one entry.
  expect(names.filter((name) => /^usage_records/.test(name)).length).toBeLessThanOrEqual(1);
});

it('the rows of a table are not known until Postgres has counted them', async () => {
  await control.sql`CREATE TABLE counted AS SELECT repeat('x', 1000) FROM generate_series(1, 3000)`;
  const rowsOf = async () => {
    const { postgres } = storage.parse((await api.get('/admin/v1/fleet/storage')).body);
    return postgres.tables.find(({ name }) => name === 'counted')?.rows;
  };
  expect(await rowsOf()).toBeNull();
  await control.sql`ANALYZE counted`;
  expect(await rowsOf()).toBe(3_000);
  await control.sql`DROP TABLE counted`;
});

it.each([
  ['ledger', { ledger: { disagreements: [] } }],
  ['audit_log', { audit_log: { broken: null } }],
])('a check of the %s runs in the background, and its result is kept', async (kind, result) => {
  const path = `/admin/v1/${kind}/verifications`;
  const { body: started } = await api.post(path, {});
  expect(started).toMatchObject({ object: 'verification', state: 'running', agrees: null });
  const latest = async () => listed.parse((await api.get(path)).body).data[0];
  await until(async () => (await latest())?.state !== 'running');
  expect(await latest()).toMatchObject({
    id: started.id,
    state: 'done',
    agrees: true,
    problem: null,
    result,
  });
});

it('a check whose control plane is gone is shown as failed, and does not stop the next', async () => {
  await control.sql`
    INSERT INTO verifications (id, kind, control_plane_id, started_at)
    VALUES ('ver_lost', 'ledger', 'gone', now() - interval '1 minute')`;
  const path = '/admin/v1/ledger/verifications';
  const find = async (id: string) =>
    listed.parse((await api.get(path)).body).data.find((each) => each.id === id);
  expect(await find('ver_lost')).toMatchObject({ state: 'failed', agrees: null });
  const { body } = await api.post(path, {});
  expect(body.id).not.toBe('ver_lost');
});

it('a drained data plane is recorded once with its actor, and one that has ended is unknown', async () => {
  const id = await objectsOf(control, { id: 'acct_test' }).dataPlane();
  for (let call = 0; call < 2; call++)
    expect((await api.post(`/admin/v1/data_planes/${id}/drain`, {})).body).toMatchObject({
      id,
      drained: true,
    });
  const { body } = await api.get(`/admin/v1/audit_events?object_id=${id}&outcome=done`);
  expect(body.data).toMatchObject([
    {
      action: 'data_plane.drained',
      object: { type: 'data_plane', id },
      account_id: null,
      before: { drained: false },
      after: { drained: true },
    },
  ]);
  await control.sql`UPDATE reported_processes SET reported_at = now() - interval '1 hour' WHERE id = ${id}`;
  expect((await api.post(`/admin/v1/data_planes/${id}/undrain`, {})).status).toBe(404);
});
