import { isWellFormedApiKey, lookupHash } from '@model-gateway/shared';
import { TEST_SECRETS } from '@model-gateway/test-kit/test-secrets';
import { describe, expect, it } from 'vitest';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { manage, refusal } from '../fixtures/management-fixture.ts';

const control = useControlPlanes();
const api = manage(control);
const PATH = '/admin/v1/keys';
const create = async (more: object = {}) => {
  const answer = await api.post(PATH, { account_id: 'acct_test', name: 'k', ...more });
  expect(answer.status).toBe(201);
  const { key, ...shown } = answer.body;
  return { id: String(shown.id), key: String(key), shown, etag: answer.headers.get('etag') ?? '' };
};
const resolved = async (rawKey: string) =>
  (
    await control.caller('keys', 'resolveKey', {
      lookupHash: lookupHash(TEST_SECRETS.API_KEY_LOOKUP_PEPPER, rawKey),
    })
  ).key;
const patch = (id: string, body: object, etag = '*') =>
  api.patch(`${PATH}/${id}`, body, { headers: { 'if-match': etag } });
const BUDGET = { usd: '25.00', window: 'month' };

describe('keys', () => {
  it('are created with rules, tags, expiry and external id, and the secret once', async () => {
    const { etag, id, key, shown } = await create({
      name: 'app',
      external_id: 'k-1',
      rules: { models: ['acme/*'], budgets: [BUDGET] },
      tags: { project: 'alpha' },
      cache: 'read, write; ttl=60',
      expires_at: '2099-01-01T00:00:00+01:00',
    });
    expect(isWellFormedApiKey(key)).toBe(true);
    expect(shown).toMatchObject({
      object: 'key',
      account_id: 'acct_test',
      seat_id: null,
      name: 'app',
      external_id: 'k-1',
      prefix: key.slice(0, 16),
      status: 'active',
      tags: { project: 'alpha' },
      cache: 'read, write; ttl=60',
      expires_at: '2098-12-31T23:00:00.000Z',
      rules: { models: ['acme/*'], providers: null, budgets: [{ ...BUDGET, on_exceed: 'block' }] },
    });
    const read = await api.get(`${PATH}/${id}`);
    expect(read.body).toEqual(shown);
    expect(read.headers.get('etag')).toBe(etag);
    expect((await api.get(`${PATH}?account_id=acct_test&external_id=k-1`)).body.data).toEqual([shown]);
    expect(await resolved(key)).toMatchObject({
      keyId: id,
      tags: { project: 'alpha' },
      cache: 'read, write; ttl=60',
    });
  });

  it('are billed to a team when they are created on its seat', async () => {
    const team = await control.admin('teams', 'createTeam', { account: 'acct_test', name: 'T' });
    await control.query(`INSERT INTO accounts (id, email, name) VALUES ('acct_s', 's@example.com', 'S')`);
    const seat = await control.admin('teams', 'addSeat', { teamId: team.id, account: 'acct_s' });
    const { key, shown } = await create({ account_id: undefined, seat_id: seat.id });
    expect(shown).toMatchObject({ account_id: 'acct_s', seat_id: seat.id });
    expect(await resolved(key)).toMatchObject({ seatId: seat.id, teamId: team.id });
    expect((await api.get(`${PATH}?seat_id=${seat.id}`)).body.data).toEqual([shown]);
    const { key: bound } = await api.insertKey({ accountId: 'acct_test' });
    expect(refusal(await api.post(PATH, { seat_id: seat.id, name: 'x' }, { key: bound })).status).toBe(404);
    const both = { account_id: 'acct_test', seat_id: seat.id, name: 'x' };
    expect(refusal(await api.post(PATH, both))).toMatchObject({ status: 400, param: 'account_id' });
  });

  it.each([
    [{ name: 'x' }, 400, 'account_id'],
    [{ account_id: 'acct_test' }, 400, 'name'],
    [{ account_id: 'acct_test', name: '' }, 400, null],
    [{ account_id: 'acct_none', name: 'x' }, 404, null],
    [{ account_id: 'acct_test', name: 'x', expires_at: '2001-01-01T00:00:00Z' }, 400, null],
    [{ account_id: 'acct_test', name: 'x', expires_at: 'tomorrow' }, 400, 'expires_at'],
    [{ account_id: 'acct_test', name: 'x', budget: '1' }, 422, 'budget'],
    [{ account_id: 'acct_test', name: 'x', rules: { budget: [] } }, 422, 'rules.budget'],
    [
      { account_id: 'acct_test', name: 'x', rules: { budgets: [{ ...BUDGET, user: 1 }] } },
      422,
      'rules.budgets[0].user',
    ],
    [{ account_id: 'acct_test', name: 'x', tags: { 'a b': 'c' } }, 400, 'tags.a b'],
    [{ account_id: 'acct_test', name: 'x', cache: 'store' }, 400, 'cache'],
    [{ account_id: 'acct_test', name: 'x', cache: `read${' '.repeat(64)}` }, 400, 'cache'],
  ])('are not created from %j', async (body, status, param) => {
    expect(refusal(await api.post(PATH, body))).toMatchObject({ status, param });
  });

  it('are changed in one step, and data planes learn of it', async () => {
    const { etag, id, key, shown } = await create({
      rules: { budgets: [BUDGET] },
      tags: { a: '1' },
      cache: 'write',
    });
    const answer = await patch(
      id,
      {
        name: 'renamed',
        external_id: 'k-2',
        rules: { streams: 2 },
        tags: { b: '2' },
        cache: 'read',
        expires_at: 4_070_908_800,
      },
      etag,
    );
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...shown,
      name: 'renamed',
      external_id: 'k-2',
      tags: { b: '2' },
      cache: 'read',
      expires_at: '2099-01-01T00:00:00.000Z',
      rules: { ...(shown.rules as object), budgets: [], streams: 2 },
    });
    expect((await api.get(`${PATH}/${id}`)).headers.get('etag')).toBe(answer.headers.get('etag'));
    expect(await resolved(key)).toMatchObject({
      tags: { b: '2' },
      cache: 'read',
      limits: { concurrentStreams: 2 },
    });
    const events = await control.sql`
      SELECT action FROM audit_events WHERE object_id = ${id} ORDER BY position`;
    expect(events.map(({ action }) => action).slice(2)).toEqual(['api_key.updated', 'rules.changed']);
    expect((await patch(id, { expires_at: null })).body.expires_at).toBeNull();
    expect((await patch(id, { cache: null })).body.cache).toBeNull();
    expect(await resolved(key)).not.toHaveProperty('cache');
  });

  it('are not changed with an ETag from before a change of their rules', async () => {
    const { etag, id } = await create();
    const answers = await Promise.all([1, 2, 3].map((streams) => patch(id, { rules: { streams } }, etag)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    const { headers } = await api.get(`${PATH}/${id}`);
    await api.put(`/admin/v1/rules/key/${id}`, { streams: 9 });
    expect(refusal(await patch(id, { name: 'x' }, headers.get('etag') ?? '')).status).toBe(412);
  });

  it('are disabled and enabled again', async () => {
    const { id, key } = await create();
    const disabled = await patch(id, { disabled: true });
    expect(disabled.body).toMatchObject({ status: 'suspended', stopped_by: 'api' });
    expect(await resolved(key)).toBeNull();
    await control.admin('accounts', 'suspendAccount', { account: 'acct_test' });
    await control.admin('accounts', 'resumeAccount', { account: 'acct_test' });
    expect(await resolved(key)).toBeNull();
    expect((await patch(id, { rules: { streams: 3 } })).status).toBe(200);
    const enabled = await patch(id, { disabled: false });
    expect(enabled.body).toMatchObject({ status: 'active', stopped_by: null });
    expect(await resolved(key)).toMatchObject({ limits: { concurrentStreams: 3 } });
  });

  it('are rotated with an overlap, and a repeated request gets the same secret', async () => {
    const { id, key } = await create({ rules: { streams: 4 } });
    const headers = { 'idempotency-key': 'rotate-1' };
    const rotated = await api.post(`${PATH}/${id}/rotate`, { overlap_seconds: 60 }, { headers });
    expect(rotated.status).toBe(201);
    expect(rotated.body).toMatchObject({ name: 'k', rules: { streams: 4 }, status: 'active' });
    expect(rotated.body.id).not.toBe(id);
    expect(await resolved(key)).not.toBeNull();
    expect(await resolved(String(rotated.body.key))).toMatchObject({ keyId: rotated.body.id });
    const again = await api.post(`${PATH}/${id}/rotate`, { overlap_seconds: 60 }, { headers });
    expect(again.body).toEqual(rotated.body);
    expect((await api.get(`${PATH}/${id}`)).body.replaced_by).toBe(rotated.body.id);
  });

  it('are revoked for good', async () => {
    const { id, key } = await create();
    expect((await api.delete(`${PATH}/${id}`)).body).toEqual({ id, object: 'key', deleted: true });
    expect(await resolved(key)).toBeNull();
    expect((await api.get(`${PATH}/${id}`)).body.status).toBe('revoked');
    expect(refusal(await patch(id, { disabled: false }))).toMatchObject({ status: 409, code: 'conflict' });
    expect((await patch(id, { name: 'still named' })).body.name).toBe('still named');
  });

  it('of other accounts are not found by a bound key', async () => {
    await control.query(`INSERT INTO accounts (id, email, name) VALUES ('acct_o', 'o@example.com', 'O')`);
    const foreign = await create({ account_id: 'acct_o' });
    const { key } = await api.insertKey({ accountId: 'acct_test' });
    const headers = { 'if-match': '*' };
    expect(refusal(await api.get(`${PATH}/${foreign.id}`, { key })).status).toBe(404);
    expect(refusal(await api.patch(`${PATH}/${foreign.id}`, { name: 'x' }, { key, headers })).status).toBe(
      404,
    );
    expect(refusal(await api.post(`${PATH}/${foreign.id}/rotate`, {}, { key })).status).toBe(404);
    expect(refusal(await api.delete(`${PATH}/${foreign.id}`, { key })).status).toBe(404);
    expect(refusal(await api.get(`/admin/v1/rules/key/${foreign.id}`, { key })).status).toBe(404);
    expect(refusal(await api.put(`/admin/v1/rules/key/${foreign.id}`, {}, { key })).status).toBe(404);
    const { data } = (await api.get(PATH, { key })).body as { data: { account_id: string }[] };
    expect(new Set(data.map(({ account_id }) => account_id))).toEqual(new Set(['acct_test']));
    expect((await api.post(PATH, { name: 'own' }, { key })).body.account_id).toBe('acct_test');
  });
});

describe('rules', () => {
  it.each([
    ['account', 'acct_test', ''],
    ['end_users', 'acct_test', ''],
    ['end_user', 'ann@example.com', '?account_id=acct_test'],
  ])('of kind %s are replaced as a whole, and shown with their effect', async (kind, id, query) => {
    const path = `/admin/v1/rules/${kind}/${encodeURIComponent(id)}${query}`;
    const set = await api.put(path, { models: ['acme/*'], budgets: [BUDGET] });
    expect(set.status).toBe(200);
    expect(set.body).toMatchObject({
      models: ['acme/*'],
      budgets: [{ usd: '25.00', window: 'month' }],
      effective: { models: ['acme/*'] },
    });
    const read = await api.get(path);
    expect(read.body).toEqual(set.body);
    expect(read.headers.get('etag')).toBe(set.headers.get('etag'));
    const replaced = await api.put(path, { requests_per_minute: 5 });
    expect(replaced.body).toMatchObject({ models: null, budgets: [], requests_per_minute: 5 });
    const late = await api.put(path, {}, { headers: { 'if-match': read.headers.get('etag') ?? '' } });
    expect(refusal(late)).toMatchObject({ status: 412, code: 'precondition_failed' });
    const current = replaced.headers.get('etag') ?? '';
    expect((await api.put(path, {}, { headers: { 'if-match': current } })).status).toBe(200);
  });

  it('of teams and seats are those of the owner of the team', async () => {
    const team = await control.admin('teams', 'createTeam', { account: 'acct_test', name: 'R' });
    await control.query(`INSERT INTO accounts (id, email, name) VALUES ('acct_r', 'r@example.com', 'R')`);
    const seat = await control.admin('teams', 'addSeat', { teamId: team.id, account: 'acct_r' });
    const owner = await api.insertKey({ accountId: 'acct_test' });
    const holder = await api.insertKey({ accountId: 'acct_r' });
    for (const path of [`/admin/v1/rules/team/${team.id}`, `/admin/v1/rules/seat/${seat.id}`]) {
      expect((await api.put(path, { streams: 1 }, { key: owner.key })).status).toBe(200);
      expect((await api.get(path, { key: owner.key })).body.streams).toBe(1);
      expect(refusal(await api.put(path, {}, { key: holder.key })).status).toBe(404);
    }
  });

  it('of an account are not changed by a bound key that may not change accounts', async () => {
    const { key } = await api.insertKey({ accountId: 'acct_test', scopes: ['rules:write'] });
    const path = '/admin/v1/rules/account/acct_test';
    expect((await api.get(path, { key })).status).toBe(200);
    expect(refusal(await api.put(path, {}, { key }))).toMatchObject({ status: 403 });
  });

  it.each([
    ['account/acct_test', { budget: [] }, 422, 'unknown_field', 'budget'],
    [
      'account/acct_test',
      { budgets: [{ usd: '1', window: 'month', cap: 1 }] },
      422,
      'unknown_field',
      'budgets[0].cap',
    ],
    [
      'account/acct_test',
      { budgets: [{ usd: 'one', window: 'month' }] },
      400,
      'invalid_request',
      'budgets[0].usd',
    ],
    ['end_users/acct_test', { streams: 1 }, 400, 'invalid_request', null],
    ['nobody/acct_test', {}, 400, 'invalid_request', 'kind'],
    ['end_user/ann', {}, 400, 'invalid_request', 'account_id'],
    ['key/key_none', {}, 404, 'not_found', null],
  ])('of %s are not set from %j', async (path, body, status, code, param) => {
    expect(refusal(await api.put(`/admin/v1/rules/${path}`, body))).toEqual({ status, code, param });
  });
});
