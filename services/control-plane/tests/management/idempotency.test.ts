import { describe, expect, it } from 'vitest';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { manage, refusal } from '../fixtures/management-fixture.ts';

const control = useControlPlanes({ count: 2 });
const api = manage(control);

const body = (name: string) => ({ name, scopes: ['keys:read'] });
const withKey = (key: string, more: object = {}) => ({ headers: { 'idempotency-key': key }, ...more });
const named = async (name: string) => await control.sql`SELECT id FROM admin_keys WHERE name = ${name}`;

describe('an Idempotency-Key', () => {
  it('gets the first answer again, from every control plane, with the secret', async () => {
    const first = await api.post('/admin/v1/admin_keys', body('twice'), withKey('once'));
    expect(first.status).toBe(201);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    for (const plane of [0, 1]) {
      const again = await api.post('/admin/v1/admin_keys', body('twice'), withKey('once', { plane }));
      expect(again.status).toBe(201);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
      expect(again.body).toEqual(first.body);
    }
    expect(await named('twice')).toHaveLength(1);
  });

  it('is refused with another body, path or query', async () => {
    await api.post('/admin/v1/admin_keys', body('first'), withKey('reused'));
    const other = await api.post('/admin/v1/admin_keys', body('second'), withKey('reused'));
    expect(refusal(other)).toEqual({ status: 409, code: 'idempotency_key_reused', param: 'Idempotency-Key' });
    expect(await named('second')).toHaveLength(0);
  });

  it('is the same request if only the order of members and the spaces differ', async () => {
    const first = await api.post(
      '/admin/v1/admin_keys',
      '{"name":"order","scopes":["keys:read"]}',
      withKey('order'),
    );
    const again = await api.post(
      '/admin/v1/admin_keys',
      '{ "scopes":["keys:read"], "name":"order" }',
      withKey('order'),
    );
    expect(again.body).toEqual(first.body);
  });

  it('of one admin key is independent of the same one of another', async () => {
    const [one, other] = [await api.insertKey(), await api.insertKey()];
    const first = await api.post('/admin/v1/admin_keys', body('a'), withKey('shared', { key: one.key }));
    const second = await api.post('/admin/v1/admin_keys', body('b'), withKey('shared', { key: other.key }));
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.id).not.toBe(first.body.id);
  });

  it('is free again after 24 hours, and is deleted by the clean-up', async () => {
    const first = await api.post('/admin/v1/admin_keys', body('old'), withKey('day'));
    await control.query(
      `UPDATE idempotency_claims SET created_at = now() - interval '24 hours' WHERE key = 'day'`,
    );
    const next = await api.post('/admin/v1/admin_keys', body('new'), withKey('day'));
    expect(next.status).toBe(201);
    expect(next.body.id).not.toBe(first.body.id);
  });

  it('of a refused request is not used up', async () => {
    const wrong = await api.post(
      '/admin/v1/admin_keys',
      { name: '', scopes: ['keys:read'] },
      withKey('retry'),
    );
    expect(refusal(wrong).status).toBe(400);
    const right = await api.post('/admin/v1/admin_keys', body('right'), withKey('retry'));
    expect(right.status).toBe(201);
  });

  it.each([`${'x'.repeat(256)}`, '', 'ü'])('%.10j is refused', async (key) => {
    const answer = await api.post('/admin/v1/admin_keys', body('none'), withKey(key)).catch(() => undefined);
    // fetch itself refuses characters beyond Latin-1.
    if (answer !== undefined)
      expect(refusal(answer)).toMatchObject({ status: 400, param: 'Idempotency-Key' });
    expect(await named('none')).toHaveLength(0);
  });

  it('with 255 characters is accepted', async () => {
    const { status } = await api.post('/admin/v1/admin_keys', body('long'), withKey('x'.repeat(255)));
    expect(status).toBe(201);
  });

  it('makes one object of 100 equal requests at once, and all get the same answer', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        api.post('/admin/v1/admin_keys', body('hundred'), withKey('hundred', { plane: index % 2 })),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 201));
    for (const answer of answers) expect(answer.body).toEqual(answers[0]?.body);
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    expect(await named('hundred')).toHaveLength(1);
  });

  it('has its whole response, with the ETag, as soon as the change is committed', async () => {
    // Fails every request whose answer is not known at that moment.
    await control.query(`
      CREATE FUNCTION refuse_update() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'the answer changed after the commit'; END $$;
      CREATE TRIGGER refuse_update BEFORE UPDATE ON idempotency_claims
        FOR EACH ROW EXECUTE FUNCTION refuse_update()`);
    const rules = { models: ['acme/*'], budgets: [{ usd: '5.50', window: 'day' }] };
    const key = await api.post(
      '/admin/v1/keys',
      { account_id: 'acct_test', name: 'k', rules, tags: { a: 'b' } },
      withKey('whole key'),
    );
    expect(key.status).toBe(201);
    const { body: team } = await api.post('/admin/v1/teams', { account_id: 'acct_test', name: 'whole' });
    const members = '/admin/v1/accounts/acct_test/members';
    const requests = [
      ['/admin/v1/pools', { team_id: team.id, usd: '5' }, 'whole pool'],
      ['/admin/v1/teams', { account_id: 'acct_test', name: 'second' }, 'whole team'],
      ['/admin/v1/seats', { team_id: team.id, account_id: 'acct_test' }, 'whole seat'],
      ['/admin/v1/end_users', { account_id: 'acct_test', id: 'ann' }, 'whole end user'],
      [members, { email: 'added@example.com', role: 'viewer' }, 'whole member'],
      [members, { email: 'asked@example.com', role: 'viewer', invite: true }, 'whole invitation'],
      ['/api/v1/keys', { workspace_id: 'acct_test', name: 'o', limit: 5 }, 'whole compatible key'],
      ['/admin/v1/keys', { account_id: 'acct_test', name: 'k', rules, tags: { a: 'b' } }, 'whole key'],
      [`/admin/v1/keys/${key.body.id}/rotate`, { overlap_seconds: 5 }, 'whole rotation'],
      ['/admin/v1/accounts', { email: 'whole@example.com' }, 'whole account'],
      ['/admin/v1/admin_keys', body('whole'), 'whole admin key'],
      ['/admin/v1/accounts/acct_test/suspend', {}, 'whole suspension'],
      ['/admin/v1/accounts/acct_test/resume', {}, 'whole end of it'],
    ] as const;
    for (const [path, ask, name] of requests) {
      const first = await api.post(path, ask, withKey(name));
      expect([path, first.status < 300]).toEqual([path, true]);
      const again = await api.post(path, ask, withKey(name));
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect([again.body, again.headers.get('etag')]).toEqual([first.body, first.headers.get('etag')]);
    }
    await control.query('DROP TRIGGER refuse_update ON idempotency_claims');
  });

  it('of a call of gatewayctl gets the whole answer again, with the secret, also at the same time', async () => {
    const rpc = '/admin/v1/rpc/AccountService/CreateKey';
    const ask = { account: 'acct_test', name: 'rpc' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => api.post(rpc, ask, withKey('rpc', { plane: index % 2 }))),
    );
    expect(answers[0]?.body.rawKey).toMatch(/^gw_live_/);
    for (const { body: each } of answers) expect(each).toEqual(answers[0]?.body);
  });

  it('is refused with 409 when the first request has changed something and will never answer', async () => {
    const rpc = '/admin/v1/rpc/AccountService/CreateKey';
    const ask = { account: 'acct_test', name: 'lost' };
    // The process ends here.
    await control.query(`CREATE TRIGGER refuse_update BEFORE UPDATE ON idempotency_claims
      FOR EACH ROW EXECUTE FUNCTION refuse_update()`);
    const lost = await api.post(rpc, ask, withKey('lost'));
    expect(refusal(lost)).toEqual({ status: 409, code: 'conflict', param: 'Idempotency-Key' });
    await control.query('DROP TRIGGER refuse_update ON idempotency_claims');
    expect(await control.sql`SELECT id FROM api_keys WHERE name = 'lost'`).toHaveLength(1);
  });

  it('counts for a POST that changes nothing, too', async () => {
    const plan = '/admin/v1/catalog/plan';
    const document = { providers: [], models: [] };
    const first = await api.post(plan, document, withKey('plan'));
    const again = await api.post(plan, document, withKey('plan'));
    expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    expect(again.body).toEqual(first.body);
    const other = await api.post('/admin/v1/ledger/verify', {}, withKey('plan'));
    expect(refusal(other)).toMatchObject({ status: 409, code: 'idempotency_key_reused' });
  });

  it('stores no secret unencrypted', async () => {
    const { body: made } = await api.post('/admin/v1/admin_keys', body('sealed'), withKey('sealed'));
    const [claim] = await control.sql`SELECT answer FROM idempotency_claims WHERE key = 'sealed'`;
    expect(Buffer.isBuffer(claim?.answer)).toBe(true);
    expect(String(claim?.answer)).not.toContain('adm_');
    expect(JSON.stringify(await control.sql`SELECT * FROM audit_events`)).not.toContain(String(made.key));
    expect(control.logText()).not.toContain(String(made.key));
  });
});
