import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { oneModel } from '../fixtures/catalog-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { manage, refusal } from '../fixtures/management-fixture.ts';

const control = useControlPlanes();
const api = manage(control);

const modelPath = (id: string) => `/admin/v1/models/${encodeURIComponent(id)}`;
const versionPath = (revision: unknown) => `/admin/v1/catalog/versions/${revision}`;

/** Applies a catalog under the condition of a plan. */
async function apply(document: unknown) {
  const plan = await api.post('/admin/v1/catalog/plan', document);
  const applied = await api.post('/admin/v1/catalog/apply', document, ifMatch(plan));
  expect(applied.status).toBe(200);
  return applied.body.revision;
}

function ifMatch({ headers }: { headers: Headers }) {
  return { headers: { 'if-match': headers.get('etag') ?? '' } };
}

it('an earlier catalog that is applied again restores prices exactly, as new price versions', async () => {
  const id = `acme/${randomUUID()}`;
  const first = await apply(oneModel(id, '1.25'));
  await apply(oneModel(id, '7'));
  const before = await api.get(modelPath(id));
  expect(before.body).toMatchObject({ price_version: 2, pricing: { input_per_million_usd: '7' } });

  const old = await api.get(versionPath(first));
  const plan = await api.post('/admin/v1/catalog/plan', old.body.document);
  expect(plan.body.differences).toEqual([
    {
      object: 'model',
      id,
      change: 'changed',
      fields: [{ path: 'pricing.input_per_million_usd', before: '7', after: '1.25' }],
    },
  ]);
  const again = await apply(old.body.document);
  const { body } = await api.get(modelPath(id));
  expect(body).toMatchObject({ price_version: 3, pricing: { input_per_million_usd: '1.25' } });
  expect(body.price_versions).toMatchObject([
    { version: 3, pricing: { input_per_million_usd: '1.25' }, catalog_revision: again },
    { version: 2, pricing: { input_per_million_usd: '7' } },
    { version: 1, pricing: { input_per_million_usd: '1.25' }, catalog_revision: first },
  ]);
  expect(body.price_versions).toMatchObject([{ applied_by: { type: 'admin_key' } }, {}, {}]);
  const [newest] = (await api.get('/admin/v1/catalog/versions?limit=1')).body.data as object[];
  expect(newest).toMatchObject({ revision: again, action: 'catalog.applied' });
  expect((await api.get(versionPath(again))).body.document).toEqual(old.body.document);
});

it('versions are listed in pages, newest first, with what changed and who changed it', async () => {
  const id = `acme/${randomUUID()}`;
  await apply(oneModel(`acme/${randomUUID()}`));
  const last = await apply(oneModel(id));
  const page = await api.get('/admin/v1/catalog/versions?limit=1');
  expect(page.body).toMatchObject({
    has_more: true,
    data: [
      {
        revision: last,
        changes: { models: { added: { count: 1, ids: [id] }, retired: { count: 1 } } },
        applied_by: { type: 'admin_key' },
      },
    ],
  });
  const next = await api.get(`/admin/v1/catalog/versions?limit=1&cursor=${page.body.next_cursor}`);
  expect(next.body.data).toMatchObject([{ changes: { models: { added: { count: 1 } } } }]);
  const { body } = await api.get(versionPath(last));
  expect(body.differences).toMatchObject([
    {
      change: 'added',
      id,
      fields: [{ path: 'pricing.input_per_million_usd', before: null, after: '1' }, {}],
    },
    { change: 'retired' },
  ]);
  expect(refusal(await api.get(versionPath(999_999)))).toMatchObject({ status: 404 });
  expect(refusal(await api.get(versionPath('x')))).toMatchObject({ status: 400 });
});

it('a plan counts the accounts, keys and rules that it affects, and a change meanwhile is refused', async () => {
  const [id, unused] = [`acme/${randomUUID()}`, `acme/${randomUUID()}`];
  const document = oneModel(id);
  await apply({ ...document, models: [...document.models, ...oneModel(unused).models] });
  const use = (account: string, key: string, daysAgo: number) =>
    control.query(
      `INSERT INTO usage_rollups (account_id, seat_id, width, bucket, key_id, model_id, capability, requests,
        input_tokens, cached_input_tokens, output_tokens, images, characters, audio_ms, search_units, charged)
       VALUES ($1, '', 86400, date_trunc('day', now(), 'UTC') - $3::int * interval '1 day', $2, $4, 'chat',
        1, 0, 0, 0, 0, 0, 0, 0, 0)`,
      [account, key, daysAgo, id],
    );
  await use('acct_a', 'key_1', 0);
  await use('acct_a', 'key_1', 1);
  await use('acct_a', 'key_2', 29);
  await use('acct_b', 'key_3', 3);
  await use('acct_c', 'key_4', 31);
  await control.admin('rules', 'setRules', {
    owner: { kind: 'account', id: 'acct_test' },
    rulesJson: JSON.stringify({ models: [id] }),
  });
  await control.query(`INSERT INTO rules (owner, rules) VALUES ('key:key_1', $1), ('key:key_2', $2)`, [
    JSON.stringify({ models: [id], providers: null }),
    JSON.stringify({ models: ['other/model'], providers: null }),
  ]);

  const plan = await api.post('/admin/v1/catalog/plan', oneModel(unused));
  expect(plan.body).toMatchObject({
    models: { retired: [id] },
    affected: {
      accounts: 2,
      keys: 3,
      models: [{ id, accounts: 2, keys: 3 }],
      rules: { count: 2, owners: ['account:acct_test', 'key:key_1'] },
    },
  });
  await apply(oneModel(id, '3'));
  const late = await api.post('/admin/v1/catalog/apply', oneModel(unused), ifMatch(plan));
  expect(refusal(late)).toMatchObject({ status: 412, code: 'precondition_failed' });
});

it('the catalog that was in force before versions were kept is the first of them, and 200 are kept', async () => {
  const id = `acme/${randomUUID()}`;
  const revision = await apply(oneModel(id));
  await control.query('DELETE FROM catalog_versions');
  await apply(oneModel(id, '9'));
  const { body } = await api.get(versionPath(revision));
  expect(body).toMatchObject({ applied_at: null, applied_by: null, changes: null });
  expect(body.document).toMatchObject({ models: [{ id, pricing: { input_per_million_usd: '1' } }] });
  await control.query(
    `INSERT INTO catalog_versions (revision, document) SELECT -n, '{}' FROM generate_series(1, 250) AS n`,
  );
  await apply(oneModel(id, '10'));
  expect(await control.query('SELECT count(*)::int AS kept FROM catalog_versions')).toMatchObject([
    { kept: 200 },
  ]);
});
