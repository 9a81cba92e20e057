import { randomUUID } from 'node:crypto';
import { GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { expect, it } from 'vitest';
import { addModel } from '../fixtures/catalog-fixture.ts';
import { at, CALL_DEADLINE_MS, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { manage } from '../fixtures/management-fixture.ts';

const control = useControlPlanes({ count: 2 });
const api = manage(control);

const report = (instanceId: string, given: object, plane = 0) =>
  at(control.callers, plane).callOnce(CALL_DEADLINE_MS, 'catalog', 'reportProviders', {
    ...{ instanceId, breakers: [], refused: [], validMs: 60_000 },
    ...given,
  });
const refused = { providerId: 'acme', variable: 'ACME_KEY', model: '', httpStatus: 401 };

it('breakers and refusals of all data planes are shown at the provider, and leave with their report', async () => {
  await addModel(control, `acme/${randomUUID()}`);
  const open = { providerId: 'acme', model: 'one', shutsEveryoneOut: true, openMs: 5_000 };
  await report('one', {
    breakers: [open],
    refused: [{ ...refused, refusals: 3, sinceMs: 60_000, lastMs: 2_000 }],
  });
  await report('two', { refused: [{ ...refused, refusals: 4, sinceMs: 90_000, lastMs: 1_000 }] }, 1);
  const { body } = await api.get('/admin/v1/providers/acme', { plane: 1 });
  expect(body.breakers).toMatchObject([{ data_plane: 'one', model: 'one', shuts_out: 'everyone' }]);
  expect(body.credentials).toMatchObject([
    {
      name: 'ACME_KEY',
      state: 'refused',
      refusals: [
        { provider: 'acme', http_status: 401, refusals: 7, models: [], data_planes: ['one', 'two'] },
      ],
    },
  ]);
  const [credential] = body.credentials as { refusals: { since: string }[] }[];
  const sinceMs = Date.now() - Date.parse(credential?.refusals[0]?.since ?? '');
  expect(sinceMs).toBeGreaterThanOrEqual(90_000);
  await report('one', {});
  await report('two', { validMs: 1 });
  const { body: after } = await api.get('/admin/v1/providers/acme');
  expect(after).toMatchObject({ breakers: [], credentials: [{ state: 'unknown', refusals: [] }] });
});

it('a report that is too long or malformed is refused', async () => {
  for (const wrong of [
    { refused: Array.from({ length: 1_001 }, () => ({ ...refused, refusals: 1 })) },
    { breakers: [{ providerId: '', model: '' }] },
    { refused: [{ ...refused, refusals: 0 }] },
    { validMs: 0 },
  ]) {
    const error = await report('one', wrong).catch((thrown: unknown) => thrown);
    expect(grpcStatus(error)).toBe(GrpcStatus.INVALID_ARGUMENT);
  }
});

it('a credential is set and removed, its last characters are shown, and its value never', async () => {
  const value = `sk-${randomUUID()}`;
  const set = await api.put('/admin/v1/credentials/ACME_KEY', { value });
  expect(set).toMatchObject({
    status: 200,
    body: { name: 'ACME_KEY', state: 'set', stored: true, last_four: value.slice(-4), refusals: [] },
  });
  await addModel(control, `acme/${randomUUID()}`);
  const answers = await Promise.all(
    [
      '/admin/v1/credentials',
      '/admin/v1/providers',
      '/admin/v1/providers/acme',
      '/admin/v1/models',
      '/admin/v1/catalog',
      '/admin/v1/catalog/versions',
      '/admin/v1/audit_events',
      '/admin/v1/fleet',
    ].map((path) => api.get(path)),
  );
  for (const { body, status } of [set, ...answers]) {
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain(value.slice(0, -4));
  }
  const invalid = await api.put('/admin/v1/credentials/ACME_KEY', { value: `${value}\u0007` });
  expect([invalid.status, JSON.stringify(invalid.body).includes(value)]).toEqual([400, false]);
  expect((await api.delete('/admin/v1/credentials/ACME_KEY')).status).toBe(200);
  expect((await api.delete('/admin/v1/credentials/ACME_KEY')).status).toBe(404);
});

it('models are listed in pages, by provider and by a part of their name', async () => {
  const prefix = randomUUID().slice(0, 8);
  for (const name of ['a', 'b', 'c']) await addModel(control, `acme/${prefix}-${name}`);
  const first = await api.get(`/admin/v1/models?search=${prefix.toUpperCase()}&provider=acme&limit=2`);
  expect(first.body).toMatchObject({
    has_more: true,
    data: [
      { id: `acme/${prefix}-a`, providers: ['acme'], health: { state: 'no_traffic', requests_24h: 0 } },
      { id: `acme/${prefix}-b`, pricing: { output_per_million_usd: '2' }, price_version: 1 },
    ],
  });
  const next = await api.get(`/admin/v1/models?search=${prefix}&limit=2&cursor=${first.body.next_cursor}`);
  expect(next.body).toMatchObject({ has_more: false, data: [{ id: `acme/${prefix}-c` }] });
  expect((await api.get('/admin/v1/models?provider=nobody')).body.data).toEqual([]);
  expect((await api.get('/admin/v1/models?cursor=%21')).status).toBe(400);
  expect((await api.get('/admin/v1/providers/nobody')).status).toBe(404);
  expect((await api.get('/admin/v1/models/nobody')).status).toBe(404);
});
