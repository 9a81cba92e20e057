import type { ServerResponse } from 'node:http';
import { until } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { manage } from '../fixtures/management-fixture.ts';
import { useReceiver, verify, withStatus } from '../fixtures/webhook-receiver-fixture.ts';
import { LOOPBACK, webhooksOf } from '../fixtures/webhooks-fixture.ts';

const control = useControlPlanes({ environment: LOOPBACK });
const receiver = useReceiver();
const api = manage(control);
const webhooks = webhooksOf(control);
const URL_OF_NOBODY = 'https://localhost:1/hook';

const newHook = async (account: string, body: object = {}) =>
  await api.post('/admin/v1/webhooks', {
    ...{ url: URL_OF_NOBODY, events: ['key.created'], account_id: account },
    ...body,
  });

describe('a webhook', () => {
  it('shows its secret once, and stores it encrypted', async () => {
    const account = await webhooks.newAccount();
    const { body, status } = await newHook(account, { description: 'CRM' });
    expect(status).toBe(201);
    const { secret, ...resource } = body;
    expect(resource).toEqual({
      object: 'webhook',
      id: expect.stringMatching(/^wh_[0-9A-Za-z]{24}$/),
      account_id: account,
      url: URL_OF_NOBODY,
      events: ['key.created'],
      format: 'standard',
      description: 'CRM',
      status: 'enabled',
      disabled_because: null,
      failing_since: null,
      created_at: expect.any(String),
    });
    expect(secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
    expect((await api.get(`/admin/v1/webhooks/${body.id}`)).body).toEqual(resource);
    const tables = ['webhook_endpoints', 'webhook_secrets', 'audit_events', 'idempotency_claims'];
    for (const table of tables) {
      const [found] = await control.query(`SELECT string_agg(t::text, '') AS text FROM ${table} t`);
      const raw = Buffer.from(String(secret).slice('whsec_'.length), 'base64').toString('hex');
      expect(String(found?.text)).not.toContain(String(secret));
      expect(String(found?.text)).not.toContain(raw);
    }
  });

  it('gets the same secret when its request is repeated with an Idempotency-Key', async () => {
    const account = await webhooks.newAccount();
    const headers = { 'idempotency-key': `hook of ${account}` };
    const body = { url: URL_OF_NOBODY, events: ['key.created'], account_id: account };
    const first = await api.post('/admin/v1/webhooks', body, { headers });
    const again = await api.post('/admin/v1/webhooks', body, { headers });
    expect(again.body).toEqual(first.body);
  });

  it.each([
    [{ url: 'http://10.0.0.1/hook' }, 'WEBHOOK_NETWORKS'],
    [{ url: 'http://[::1]/hook' }, 'WEBHOOK_NETWORKS'],
    [{ url: 'ftp://example.com/' }, 'https: URL'],
    [{ url: 'https://user:password@example.com/' }, 'user and password'],
    [{ events: ['provider.down'] }, 'concerns the installation'],
  ])('%j is refused, and the answer says why', async (body, reason) => {
    const answer = await newHook(await webhooks.newAccount(), body);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(reason);
  });

  it('is changed, rotated, tested, redelivered and removed, and each is in the audit log', async () => {
    const account = await webhooks.newAccount();
    const { body } = await newHook(account, { url: receiver.url('audited') });
    const path = `/admin/v1/webhooks/${body.id}`;
    const { headers } = await api.get(path);
    const etag = { 'if-match': headers.get('etag') ?? '' };
    const changed = await api.patch(path, { events: ['key.revoked'] }, { headers: etag });
    expect(changed.body).toMatchObject({ events: ['key.revoked'] });
    expect((await api.patch(path, {}, { headers: etag })).status).toBe(412);
    expect((await api.post(`${path}/rotate_secret`, {})).body).toMatchObject({
      secret: expect.stringMatching(/^whsec_/),
      previous_secret_expires_at: expect.any(String),
    });
    await api.post(`${path}/test`, {});
    await api.post(`${path}/redeliver`, { since: '2026-01-01T00:00:00Z' });
    expect((await api.delete(path)).body).toEqual({ id: body.id, object: 'webhook', deleted: true });
    expect((await api.get(path)).status).toBe(404);
    const rows = await control.sql`
      SELECT action FROM audit_events WHERE object_id = ${body.id} ORDER BY at, position`;
    expect(rows.map(({ action }) => action)).toEqual(
      ['created', 'changed', 'secret_rotated', 'tested', 'redelivered', 'removed'].map(
        (each) => `webhook.${each}`,
      ),
    );
  });

  it('has in the audit log only the beginning of its URL, which may be a secret', async () => {
    const account = await webhooks.newAccount();
    const url = `${URL_OF_NOBODY}s/secret-of-the-channel`;
    const { body } = await newHook(account, { url });
    const path = `/admin/v1/webhooks/${body.id}`;
    const first = await api.get(path);
    expect(first.body).toMatchObject({ url });
    const headers = { 'if-match': first.headers.get('etag') ?? '' };
    expect((await api.patch(path, { url: `${url}-2` }, { headers })).body).toMatchObject({ url: `${url}-2` });
    const rows = await control.sql`
      SELECT before->>'url' AS before, after->>'url' AS after FROM audit_events WHERE object_id = ${body.id}
      ORDER BY at, position`;
    const shown = 'https://localhost:1/hooks/se…';
    expect(rows).toEqual([
      { before: null, after: shown },
      { before: shown, after: shown },
    ]);
  });

  it('of another account is missing for a key that is bound to an account', async () => {
    const [own, other] = [await webhooks.newAccount(), await webhooks.newAccount()];
    const { body } = await newHook(other);
    const { key } = await api.insertKey({ scopes: ['events:write'], accountId: own });
    for (const [method, suffix] of [
      ['get', ''],
      ['delete', ''],
      ['get', '/deliveries'],
      ['get', '/events'],
    ] as const)
      expect((await api[method](`/admin/v1/webhooks/${body.id}${suffix}`, { key })).status).toBe(404);
    const created = await api.post(
      '/admin/v1/webhooks',
      { url: URL_OF_NOBODY, events: ['key.created'] },
      { key },
    );
    expect(created.body).toMatchObject({ account_id: own });
    expect((await api.get('/admin/v1/webhooks', { key })).body).toMatchObject({
      data: [{ id: created.body.id }],
    });
  });

  it('is deleted with its account', async () => {
    const account = await webhooks.newAccount();
    const { body } = await newHook(account);
    await control.admin('accounts', 'deleteAccount', { account });
    expect((await api.get(`/admin/v1/webhooks/${body.id}`)).status).toBe(404);
    expect(await control.sql`SELECT * FROM webhook_secrets WHERE endpoint_id = ${body.id}`).toEqual([]);
  });
});

describe('the history of a webhook', () => {
  it('has each attempt, and events are delivered again one by one or since a time, with the same id', async () => {
    const account = await webhooks.newAccount();
    receiver.answer = withStatus(503, { 'retry-after': '120' }, 'later');
    const { id, secret } = await webhooks.add(receiver.url('again'), { account });
    await webhooks.createKey(account);
    const row = await webhooks.delivery(id, ({ tries }) => tries === 1);
    const waitMs = (row.due_at?.getTime() ?? 0) - Date.now();
    expect(waitMs).toBeGreaterThan(100_000);
    expect(waitMs).toBeLessThan(145_000);
    receiver.answer = withStatus(200, {}, 'thanks');
    const path = `/admin/v1/webhooks/${id}`;
    const one = await api.post(`${path}/redeliver`, { event_id: row.event_id });
    expect(one.body).toEqual({ object: 'webhook_redelivery', count: 1 });
    await webhooks.delivery(id, ({ state }) => state === 'delivered');
    const since = await api.post(`${path}/redeliver`, { since: '2026-01-01T00:00:00Z' });
    expect(since.body).toMatchObject({ count: 1 });
    await until(() => receiver.at('again').length === 3);
    await webhooks.delivery(id, ({ attempts }) => attempts.length === 3);
    const received = receiver.at('again');
    for (const each of received) verify(secret, each);
    expect(new Set(received.map((each) => each.id))).toEqual(new Set([row.event_id]));
    const { body } = await api.get(`${path}/deliveries?state=delivered`);
    expect(body).toMatchObject({
      data: [
        {
          event_id: row.event_id,
          type: 'key.created',
          state: 'delivered',
          due_at: null,
          attempts: [
            { status: 503, error: 'status 503', response: 'later' },
            { status: 200, error: null, response: 'thanks' },
            { status: 200, error: null, response: 'thanks' },
          ],
        },
      ],
      has_more: false,
    });
    expect((await api.get(`${path}/deliveries?state=failed`)).body).toMatchObject({ data: [] });
  });

  it('keeps a redelivery that is requested during an attempt, which then succeeds', async () => {
    const account = await webhooks.newAccount();
    const responses: ServerResponse[] = [];
    receiver.answer = (_, response) => void responses.push(response);
    const { id } = await webhooks.add(receiver.url('during'), { account });
    await webhooks.createKey(account);
    await until(() => responses.length === 1);
    await api.post(`/admin/v1/webhooks/${id}/redeliver`, { since: '2026-01-01T00:00:00Z' });
    await until(() => responses.length === 2);
    responses[0]?.writeHead(200).end();
    const first = await webhooks.delivery(id, ({ attempts }) => attempts.length === 1);
    expect(first).toMatchObject({ state: 'pending', tries: 0 });
    responses[1]?.writeHead(500).end();
    const second = await webhooks.delivery(id, ({ attempts }) => attempts.length === 2);
    expect(second).toMatchObject({ state: 'pending', tries: 1, due_at: expect.any(Date) });
  });

  it('begins with the newest event, in pages', async () => {
    const account = await webhooks.newAccount();
    const { id } = await webhooks.add(receiver.url('paged'), { account });
    for (let count = 0; count < 3; count++) await webhooks.createKey(account);
    await until(() => receiver.at('paged').length === 3);
    const events = (await webhooks.rowsOf(id)).map(({ event_id }) => event_id).toReversed();
    const path = `/admin/v1/webhooks/${id}/deliveries?limit=2`;
    const first = await api.get(path);
    expect(first.body).toMatchObject({
      data: [{ event_id: events[0] }, { event_id: events[1] }],
      has_more: true,
    });
    const second = await api.get(`${path}&cursor=${first.body.next_cursor}`);
    expect(second.body).toMatchObject({ data: [{ event_id: events[2] }], has_more: false });
  });

  it('keeps the latest 20 attempts of an event', async () => {
    const account = await webhooks.newAccount();
    const { id } = await webhooks.add(receiver.url('many'), { account });
    await webhooks.createKey(account);
    for (let count = 1; count <= 22; count++) {
      await until(() => receiver.at('many').length === count);
      await webhooks.delivery(id, ({ state }) => state === 'delivered');
      await api.post(`/admin/v1/webhooks/${id}/redeliver`, { since: '2026-01-01T00:00:00Z' });
    }
    await until(() => receiver.at('many').length === 23);
    const { attempts } = await webhooks.delivery(id, ({ state }) => state === 'delivered');
    expect(attempts).toHaveLength(20);
  });
});

it('a test is sent once, also to a disabled webhook, and shows what the receiver answered', async () => {
  const account = await webhooks.newAccount();
  receiver.answer = withStatus(418, {}, 'teapot');
  const { id, secret } = await webhooks.add(receiver.url('test'), { account });
  const path = `/admin/v1/webhooks/${id}`;
  const test = {
    state: 'failed',
    type: 'webhook.test',
    due_at: null,
    attempts: [{ status: 418, response: 'teapot' }],
  };
  expect((await api.post(`${path}/test`, {})).body).toMatchObject(test);
  const etag = (await api.get(path)).headers.get('etag') ?? '';
  await api.patch(path, { enabled: false }, { headers: { 'if-match': etag } });
  receiver.answer = withStatus(200);
  expect((await api.post(`${path}/test`, {})).body).toMatchObject({ state: 'delivered' });
  const [, second] = receiver.at('test');
  if (second === undefined) throw new Error('nothing was received');
  expect(verify(secret, second)).toMatchObject({ type: 'webhook.test', data: { webhook_id: id } });
  const redelivered = await api.post(`${path}/redeliver`, { since: '2026-01-01T00:00:00Z' });
  expect(JSON.stringify(redelivered.body)).toContain('enable it first');
});

it('a webhook whose attempts have all failed for an hour is shown as failing until one succeeds', async () => {
  const account = await webhooks.newAccount();
  receiver.answer = withStatus(500);
  const { id } = await webhooks.add(receiver.url('failing'), { account });
  const path = `/admin/v1/webhooks/${id}`;
  await webhooks.createKey(account);
  await webhooks.delivery(id, ({ tries }) => tries === 1);
  expect((await api.get(path)).body).toMatchObject({ status: 'enabled', failing_since: expect.any(String) });
  await control.sql`
    UPDATE webhook_endpoints SET failing_since = now() - interval '1 hour' WHERE id = ${id}`;
  await webhooks.passTime(id);
  await webhooks.delivery(id, ({ tries }) => tries === 2);
  await until(async () => (await api.get(path)).body.status === 'failing');
  receiver.answer = withStatus(200);
  await webhooks.passTime(id);
  await until(async () => (await api.get(path)).body.status === 'enabled');
  expect((await api.get(path)).body).toMatchObject({ failing_since: null });
});

it('an event whose last retry fails is not sent again, and can be delivered again', async () => {
  const account = await webhooks.newAccount();
  receiver.answer = withStatus(500);
  const { id } = await webhooks.add(receiver.url('exhausted'), { account });
  await webhooks.createKey(account);
  await webhooks.delivery(id, ({ tries }) => tries === 1);
  await control.sql`UPDATE webhook_deliveries SET tries = 9 WHERE target = ${id}`;
  await webhooks.passTime(id);
  expect(await webhooks.delivery(id, ({ state }) => state === 'failed')).toMatchObject({ due_at: null });
  receiver.answer = withStatus(200);
  await api.post(`/admin/v1/webhooks/${id}/redeliver`, { since: '2026-01-01T00:00:00Z' });
  await webhooks.delivery(id, ({ state }) => state === 'delivered');
});
