import { adminKeyToken } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { manage, refusal } from '../fixtures/management-fixture.ts';

const control = useControlPlanes({ count: 2 });
const api = manage(control);
const PATH = '/admin/v1/admin_keys';

describe('an admin key', () => {
  it('is made with its secret once, read without it, listed and revoked', async () => {
    const made = await api.post(PATH, {
      name: 'deploy',
      scopes: ['keys:write', 'accounts:read'],
      networks: ['127.0.0.0/8'],
      expires_at: '2099-01-01T00:00:00Z',
    });
    expect(made.status).toBe(201);
    const { key, ...shown } = made.body;
    expect(adminKeyToken.isWellFormed(String(key))).toBe(true);
    expect(shown).toMatchObject({
      object: 'admin_key',
      name: 'deploy',
      scopes: ['keys:write', 'accounts:read'],
      account_id: null,
      networks: ['127.0.0.0/8'],
      expires_at: '2099-01-01T00:00:00.000Z',
      prefix: String(key).slice(0, 16),
      revoked_at: null,
      last_used_at: null,
    });
    expect(shown.id).toMatch(/^adm_\w{24}$/);
    const read = await api.get(`${PATH}/${shown.id}`);
    expect(read.body).toEqual(shown);
    expect(read.headers.get('etag')).toMatch(/^"[\w-]{22}"$/);
    const [newest] = (await api.get(`${PATH}?limit=1`)).body.data as object[];
    expect(newest).toEqual(shown);
    const stored = await control.sql`SELECT lookup_hash FROM admin_keys WHERE id = ${shown.id}`;
    expect(stored[0]?.lookup_hash).toMatch(/^v2:[0-9a-f]{64}$/);

    expect((await api.get(PATH, { key: String(key) })).status).toBe(200);
    const deleted = await api.delete(`${PATH}/${shown.id}`);
    expect(deleted.body).toEqual({ id: shown.id, object: 'admin_key', deleted: true });
    expect((await api.get(`${PATH}/${shown.id}`)).body.revoked_at).not.toBeNull();
  });

  it('is refused with the next request on every control plane once it is revoked', async () => {
    const { id, key } = await api.insertKey();
    for (const plane of [0, 1]) expect((await api.get(PATH, { key, plane })).status).toBe(200);
    await api.delete(`${PATH}/${id}`);
    for (const plane of [0, 1])
      expect(refusal(await api.get(PATH, { key, plane }))).toMatchObject({
        status: 401,
        code: 'invalid_api_key',
      });
  });

  it('is refused from its expiry on', async () => {
    const { id, key } = await api.insertKey({ expiresAt: new Date(Date.now() + 3_600_000) });
    expect((await api.get(PATH, { key })).status).toBe(200);
    await control.sql`UPDATE admin_keys SET expires_at = now() WHERE id = ${id}`;
    expect(refusal(await api.get(PATH, { key })).status).toBe(401);
  });

  it('works from its networks only', async () => {
    const { key } = await api.insertKey({ networks: ['10.0.0.0/8', '2001:db8::/32'] });
    expect(refusal(await api.get(PATH, { key }))).toMatchObject({ status: 403, code: 'network_not_allowed' });
    const own = await api.insertKey({ networks: ['127.0.0.1'] });
    expect((await api.get(PATH, { key: own.key })).status).toBe(200);
  });

  it('does what its scopes say: write includes read', async () => {
    const reader = await api.insertKey({ scopes: ['accounts:read'] });
    const other = await api.insertKey({ scopes: ['keys:write'] });
    const writer = await api.insertKey({ scopes: ['accounts:write'] });
    expect((await api.get(PATH, { key: reader.key })).status).toBe(200);
    expect((await api.get(PATH, { key: writer.key })).status).toBe(200);
    expect(refusal(await api.get(PATH, { key: other.key }))).toMatchObject({
      status: 403,
      code: 'permission_denied',
    });
    const body = { name: 'a', scopes: ['accounts:read'] };
    expect(refusal(await api.post(PATH, body, { key: reader.key })).status).toBe(403);
    expect((await api.post(PATH, body, { key: writer.key })).status).toBe(201);
  });

  it.each<[string, Parameters<typeof api.insertKey>[0], object]>([
    ['scopes', { scopes: ['accounts:write'] }, { scopes: ['accounts:write', 'keys:read'] }],
    ['networks', { networks: ['127.0.0.0/8'] }, { networks: ['127.0.0.0/7'] }],
    ['time', { expiresAt: new Date('2098-01-01') }, { expires_at: '2099-01-01T00:00:00Z' }],
  ])('grants at most its own %s', async (_, own, wanted) => {
    const { key } = await api.insertKey(own);
    const body = { name: 'more', scopes: ['accounts:read'], ...wanted };
    expect(refusal(await api.post(PATH, body, { key })).status).toBe(403);
  });

  it('passes its account, networks and expiry to a new key that names none', async () => {
    const { key } = await api.insertKey({
      accountId: 'acct_test',
      networks: ['127.0.0.1'],
      expiresAt: new Date('2098-01-01'),
    });
    const { body } = await api.post(PATH, { name: 'child', scopes: ['keys:read'] }, { key });
    expect(body).toMatchObject({
      account_id: 'acct_test',
      networks: ['127.0.0.1'],
      expires_at: '2098-01-01T00:00:00.000Z',
    });
  });

  it('that is bound to an account sees nothing of others', async () => {
    await control.query(`INSERT INTO accounts (id, email, name) VALUES ('acct_other', 'o@example.com', 'O')`);
    const bound = await api.insertKey({ accountId: 'acct_test' });
    const foreign = await api.insertKey({ accountId: 'acct_other' });
    const whole = await api.insertKey();
    const { key } = bound;
    for (const { id } of [foreign, whole]) {
      expect(refusal(await api.get(`${PATH}/${id}`, { key })).status).toBe(404);
      expect(refusal(await api.delete(`${PATH}/${id}`, { key })).status).toBe(404);
    }
    const { data } = (await api.get(`${PATH}?limit=200`, { key })).body as { data: { account_id: string }[] };
    expect(new Set(data.map(({ account_id }) => account_id))).toEqual(new Set(['acct_test']));
    expect(refusal(await api.get(`${PATH}?account_id=acct_other`, { key })).status).toBe(404);
    const body = { name: 'x', scopes: ['keys:read'], account_id: 'acct_other' };
    expect(refusal(await api.post(PATH, body, { key })).status).toBe(404);
    expect(refusal(await api.get('/admin/v1/accounts/acct_other', { key })).status).toBe(404);
    expect((await api.get('/admin/v1/accounts/acct_test', { key })).status).toBe(200);
    await control.query(`UPDATE accounts SET suspended_at = now() WHERE id = 'acct_other'`);
    expect(refusal(await api.get(PATH, { key: foreign.key })).status).toBe(403);
    await control.query(
      `UPDATE accounts SET suspended_at = NULL, deleted_at = now() WHERE id = 'acct_other'`,
    );
    expect(refusal(await api.get(PATH, { key: foreign.key })).status).toBe(401);
  });

  it('that is bound to an account stops while an identity provider has stopped its last member', async () => {
    await control.query(`
      INSERT INTO accounts (id, email, name, stopped_by) VALUES ('acct_left', 'left@example.com', 'L', 'scim')`);
    const { key } = await api.insertKey({ accountId: 'acct_left' });
    const make = () => api.post('/admin/v1/keys', { name: 'still here' }, { key });
    expect(refusal(await make())).toMatchObject({ status: 403, code: 'permission_denied' });
    await control.query(`
      INSERT INTO account_members (id, account_id, email, role, source)
      VALUES ('mem_stays', 'acct_left', 'stays@example.com', 'admin', 'operator')`);
    expect((await make()).status).toBe(201);
    await control.query(`UPDATE account_members SET stopped_at = now() WHERE id = 'mem_stays'`);
    expect((await make()).status).toBe(403);
    await control.query(`UPDATE accounts SET stopped_by = NULL WHERE id = 'acct_left'`);
    expect((await make()).status).toBe(201);
  });

  it('shows the minute of its last use', async () => {
    const { id, key } = await api.insertKey();
    await api.get(PATH, { key });
    await expect.poll(async () => (await api.get(`${PATH}/${id}`)).body.last_used_at).toMatch(/:00\.000Z$/);
  });

  it('has an audit event for its creation and its revocation', async () => {
    const { body } = await api.post(PATH, { name: 'audited', scopes: ['keys:read'] });
    await api.delete(`${PATH}/${body.id}`);
    const events = await control.sql`
      SELECT action, way, actor, object_name FROM audit_events WHERE object_id = ${body.id} ORDER BY position`;
    expect(events).toMatchObject([
      { action: 'admin_key.created', way: 'api', actor: { type: 'admin_key' }, object_name: 'audited' },
      { action: 'admin_key.revoked', way: 'api', actor: { type: 'admin_key' }, object_name: 'audited' },
    ]);
  });

  it.each([
    ['no key', {}],
    ['a key of models', { authorization: `Bearer gw_live_${'0'.repeat(49)}` }],
    ['a wrong checksum', { authorization: `Bearer gw_admin_${'0'.repeat(49)}` }],
    ['an unknown key', { authorization: `Bearer ${adminKeyToken.generate()}` }],
    ['another scheme', { authorization: `Basic ${adminKeyToken.generate()}` }],
  ])('is needed: %s gets 401', async (what, headers) => {
    const answer = await api.get(PATH, { key: null, headers });
    expect(refusal(answer)).toMatchObject({ status: 401, code: 'invalid_api_key' });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    if (what === 'a key of models') expect(JSON.stringify(answer.body)).toContain('API key for models');
  });
});

describe('lists', () => {
  it('are newest first, in pages of at most 200, with a cursor that survives additions', async () => {
    const { key } = await api.insertKey();
    const ids: unknown[] = [];
    for (const name of ['l1', 'l2', 'l3', 'l4', 'l5'])
      ids.unshift((await api.post(PATH, { name, scopes: ['keys:read'] }, { key })).body.id);
    const seen: unknown[] = [];
    let cursor = '';
    for (let page = 0; page < 3; page++) {
      const { body } = await api.get(`${PATH}?limit=2${cursor}`, { key });
      const { data, has_more, next_cursor } = body as {
        data: { id: string }[];
        has_more: boolean;
        next_cursor: string;
      };
      seen.push(...data.map(({ id }) => id));
      expect([has_more, typeof next_cursor]).toEqual([true, 'string']);
      cursor = `&cursor=${next_cursor}`;
      await api.post(PATH, { name: 'later', scopes: ['keys:read'] }, { key });
    }
    expect(seen.slice(0, 5)).toEqual(ids);
  });

  it.each(['x', 'MQ', '%00'])('refuse the cursor %j', async (cursor) => {
    expect(refusal(await api.get(`${PATH}?cursor=${cursor}`))).toMatchObject({
      status: 400,
      param: 'cursor',
    });
  });
});

describe('a refused request', () => {
  it('has an audit event, with the key if it is known', async () => {
    const { id, key } = await api.insertKey({ scopes: ['keys:read'], accountId: 'acct_test' });
    const known = await api.get(PATH, { key });
    const unknown = await api.get(PATH, { key: adminKeyToken.generate() });
    const eventOf = async ({ headers }: { headers: Headers }) =>
      (
        await control.sql`SELECT * FROM audit_events WHERE request_id = ${headers.get('x-request-id') ?? ''}`
      )[0];
    await expect
      .poll(async () => await eventOf(known))
      .toMatchObject({
        outcome: 'denied',
        way: 'api',
        actor: { type: 'admin_key', id, ip: '127.0.0.1' },
        account_id: 'acct_test',
        object_id: `GET ${PATH}`,
      });
    await expect
      .poll(async () => await eventOf(unknown))
      .toMatchObject({
        outcome: 'denied',
        actor: { type: 'admin_key', id: null },
      });
  });
});
