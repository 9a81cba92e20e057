import { lookupHash } from '@model-gateway/shared';
import { TEST_SECRETS } from '@model-gateway/test-kit/test-secrets';
import { describe, expect, it } from 'vitest';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { manage, refusal } from '../fixtures/management-fixture.ts';

const control = useControlPlanes();
const api = manage(control);
const PATH = '/admin/v1/accounts';
let created = 0;
const create = async (more: object = {}) => {
  const { body, headers, status } = await api.post(PATH, { email: `a${created++}@example.com`, ...more });
  expect(status).toBe(201);
  return { id: String(body.id), etag: headers.get('etag') ?? '', body };
};

describe('accounts', () => {
  it('are created as the contract says', async () => {
    const { body } = await create({
      email: 'Ann@Example.com',
      name: 'Ann',
      external_id: 'crm-7',
      timezone: 'Europe/Berlin',
      week_starts: 'sunday',
    });
    expect(body).toMatchObject({
      object: 'account',
      email: 'ann@example.com',
      name: 'Ann',
      external_id: 'crm-7',
      timezone: 'Europe/Berlin',
      week_starts: 'sunday',
      email_verified: true,
      limits: {
        free_per_minute: null,
        paid_per_minute: null,
        reads_per_minute: null,
        concurrent_streams: null,
      },
      suspended_at: null,
      deleted_at: null,
    });
    expect(body.id).toMatch(/^acct_\w{24}$/);
    const found = await api.get(`${PATH}?external_id=crm-7`);
    expect(found.body).toEqual({ object: 'list', data: [body], has_more: false, next_cursor: null });
    expect((await api.get(`${PATH}?external_id=crm-8`)).body.data).toEqual([]);
    expect((await api.get(`${PATH}?email=ANN@example.com`)).body.data).toEqual([body]);
  });

  it.each([
    [{ email: 'nobody' }, 400, 'invalid_request', null],
    [{}, 400, 'invalid_request', 'email'],
    [{ email: 'x@example.com', timezone: 'Mars/Olympus' }, 400, 'invalid_request', null],
    [{ email: 'x@example.com', week_starts: 'someday' }, 400, 'invalid_request', 'week_starts'],
    [{ email: 'x@example.com', external_id: '' }, 400, 'invalid_request', 'external_id'],
    [{ email: 'x@example.com', external_id: 'x'.repeat(256) }, 400, 'invalid_request', 'external_id'],
    [{ email: 'x@example.com', limits: {} }, 422, 'unknown_field', 'limits'],
    [{ email: 'test@example.com' }, 409, 'already_exists', null],
  ])('are not created from %j', async (body, status, code, param) => {
    expect(refusal(await api.post(PATH, body))).toEqual({ status, code, param });
  });

  it('have external ids that no other account has', async () => {
    await create({ external_id: 'mine' });
    const second = await create();
    const body = { email: 'twice@example.com', external_id: 'mine' };
    expect(refusal(await api.post(PATH, body))).toMatchObject({ status: 409, code: 'already_exists' });
    const headers = { 'if-match': second.etag };
    const changed = await api.patch(`${PATH}/${second.id}`, { external_id: 'mine' }, { headers });
    expect(refusal(changed)).toMatchObject({ status: 409, code: 'already_exists' });
  });

  it('are changed in one step, with one audit event', async () => {
    const { etag, id } = await create();
    const answer = await api.patch(
      `${PATH}/${id}`,
      { name: 'New', external_id: 'e-1', timezone: 'Asia/Tokyo', limits: { paid_per_minute: 7 } },
      { headers: { 'if-match': etag } },
    );
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      name: 'New',
      external_id: 'e-1',
      timezone: 'Asia/Tokyo',
      week_starts: 'monday',
      limits: { free_per_minute: null, paid_per_minute: 7 },
    });
    expect((await api.get(`${PATH}/${id}`)).headers.get('etag')).toBe(answer.headers.get('etag'));
    const events = await control.sql`
      SELECT action, before, after FROM audit_events WHERE object_id = ${id} ORDER BY position`;
    expect(events.map(({ action }) => action)).toEqual(['account.created', 'account.updated']);
    expect(events[1]?.after).toEqual(answer.body);
    const reset = await api.patch(
      `${PATH}/${id}`,
      { external_id: null, limits: { paid_per_minute: null } },
      { headers: { 'if-match': '*' } },
    );
    expect(reset.body).toMatchObject({ external_id: null, limits: { paid_per_minute: null } });
  });

  it('need If-Match for a change, which fails if another change was faster', async () => {
    const { etag, id } = await create();
    expect(refusal(await api.patch(`${PATH}/${id}`, { name: 'x' }))).toEqual({
      status: 428,
      code: 'precondition_required',
      param: 'If-Match',
    });
    const answers = await Promise.all(
      ['one', 'two', 'three', 'four'].map((name) =>
        api.patch(`${PATH}/${id}`, { name }, { headers: { 'if-match': etag } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    const lost = answers.filter(({ status }) => status === 412);
    for (const each of lost)
      expect(refusal(each)).toMatchObject({ code: 'precondition_failed', param: 'If-Match' });
    const now = await api.get(`${PATH}/${id}`);
    expect(answers.find(({ status }) => status === 200)?.body).toEqual(now.body);
    expect(lost[0]?.headers.get('etag')).toBe(now.headers.get('etag'));
    expect(
      await control.sql`SELECT 1 FROM audit_events WHERE object_id = ${id} AND action = 'account.updated'`,
    ).toHaveLength(1);
  });

  it('are suspended, resumed and deleted', async () => {
    const { id } = await create();
    const { body: key } = await api.post('/admin/v1/keys', { account_id: id, name: 'k' });
    const resolve = async () => {
      const hash = lookupHash(TEST_SECRETS.API_KEY_LOOKUP_PEPPER, String(key.key));
      return (await control.caller('keys', 'resolveKey', { lookupHash: hash })).key !== null;
    };
    expect(await resolve()).toBe(true);
    const suspended = await api.post(`${PATH}/${id}/suspend`, {}, { headers: { 'idempotency-key': 's' } });
    expect([suspended.status, typeof suspended.body.suspended_at]).toEqual([200, 'string']);
    expect(await resolve()).toBe(false);
    const again = await api.post(`${PATH}/${id}/suspend`, {}, { headers: { 'idempotency-key': 's' } });
    expect(again.body).toEqual(suspended.body);
    const resumed = await api.send('POST', `${PATH}/${id}/resume`);
    expect(resumed.body).toMatchObject({ id, suspended_at: null });
    expect(await resolve()).toBe(true);
    expect((await api.delete(`${PATH}/${id}`)).body).toEqual({ id, object: 'account', deleted: true });
    expect(await resolve()).toBe(false);
    expect((await api.get(`${PATH}/${id}`)).body.deleted_at).not.toBeNull();
    const { data } = (await api.get(`${PATH}?limit=200`)).body as { data: { id: string }[] };
    expect(data.map((each) => each.id)).not.toContain(id);
    const changed = await api.patch(`${PATH}/${id}`, { name: 'x' }, { headers: { 'if-match': '*' } });
    expect(refusal(changed)).toMatchObject({ status: 409, code: 'conflict' });
  });

  it.each([
    ['PATCH', ''],
    ['POST', '/suspend'],
    ['POST', '/resume'],
    ['DELETE', ''],
  ])('of others are not found by a key that is bound to one: %s %s', async (method, path) => {
    const { id } = await create();
    const { key } = await api.insertKey({ accountId: 'acct_test' });
    const body = method === 'DELETE' ? undefined : {};
    const answer = await api.send(method, `${PATH}/${id}${path}`, {
      key,
      body,
      headers: { 'if-match': '*' },
    });
    expect(refusal(answer)).toMatchObject({ status: 404, code: 'not_found' });
    expect((await api.get(`${PATH}/${id}`)).body).toMatchObject({ suspended_at: null, deleted_at: null });
  });

  it('are changed, but not created, by a key that is bound to one and may change accounts', async () => {
    const { id } = await create();
    const { key } = await api.insertKey({ accountId: id });
    const headers = { 'if-match': '*' };
    expect((await api.patch(`${PATH}/${id}`, { name: 'Own' }, { key, headers })).body.name).toBe('Own');
    const made = await api.post(PATH, { email: 'b@example.com' }, { key });
    expect(refusal(made)).toMatchObject({ status: 403, code: 'permission_denied' });
  });

  it('listed by a bound key are only its own', async () => {
    const { key } = await api.insertKey({ accountId: 'acct_test' });
    const { data } = (await api.get(PATH, { key })).body as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(['acct_test']);
  });
});
