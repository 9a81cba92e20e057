import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { errorBody, manage, refusal } from '../fixtures/management-fixture.ts';

const control = useControlPlanes();
const api = manage(control);

const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

describe('the management API over HTTP', () => {
  it('answers /health without a key', async () => {
    const { body, status } = await api.get('/health', { key: null });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'ok', service: 'control-plane' });
  });

  it.each([
    ['GET', '/admin/v1/nothing', 404, 'not_found'],
    ['GET', '/', 404, 'not_found'],
    ['POST', '/health', 405, 'method_not_allowed'],
    ['PUT', '/admin/v1/accounts/acct_test', 405, 'method_not_allowed'],
    ['OPTIONS', '/admin/v1/accounts/acct_test', 405, 'method_not_allowed'],
    ['GET', '/admin/v1/accounts/acct_test', 401, 'invalid_api_key'],
    ['GET', '/admin//v1/accounts', 404, 'not_found'],
  ])('%s %s without a key is refused with %i', async (method, path, status, code) => {
    const answer = await api.send(method, path, { key: null });
    expect(refusal(answer)).toMatchObject({ status, code });
    expect(errorBody.parse(answer.body).error.request_id).toBe(answer.headers.get('x-request-id'));
    expect(answer.headers.get('cache-control')).toBe('no-store');
    if (status === 405) expect(answer.headers.get('allow')).toMatch(/GET, HEAD/);
  });

  it.each([
    ['POST', '/admin/v1/catalog/plan', `{"providers":${DEEP},"models":[]}`, 400, null],
    [
      'POST',
      '/admin/v1/catalog/plan',
      '{"providers":[{"__proto__":1}],"models":[]}',
      422,
      'providers[0].__proto__',
    ],
    [
      'POST',
      '/admin/v1/rpc/AccountService/ListKeys',
      '{"account":"acct_test","__proto__":1}',
      422,
      '__proto__',
    ],
    [
      'POST',
      '/admin/v1/keys',
      '{"account_id":"acct_test","name":"k","tags":{"__proto__":"x"}}',
      422,
      'tags.__proto__',
    ],
    ['POST', '/admin/v1/keys', { account_id: 'acct_test', name: 'k', tags: { a: '\ud800' } }, 400, 'tags.a'],
    ['PUT', '/admin/v1/rules/account/acct_test', { models: ['\ud800'] }, 400, 'models[0]'],
    ['PUT', '/admin/v1/rules/account/acct_test', 'null', 400, null],
    ['PUT', '/admin/v1/rules/account/acct_test', { models: { length: { toString: 1 } } }, 400, null],
    ['PUT', '/admin/v1/rules/account/acct_test', undefined, 400, null],
    ['GET', '/admin/v1/usage?account_id=acct_test&tags[__proto__]=x', undefined, 422, 'tags.__proto__'],
    [
      'GET',
      '/v1/organization/audit_logs?effective_at[gt]=9007199254740991',
      undefined,
      400,
      'effective_at.gt',
    ],
    [
      'POST',
      '/admin/v1/pools',
      { account_id: 'acct_test', usd: '1', expires_at: 253_402_300_800 },
      400,
      'expires_at',
    ],
    ['PUT', '/admin/v1/rules/account/acct_test', { expires_at: 253_402_300_800 }, 400, 'expires_at'],
  ])(
    '%s %.70s refuses what would be lost, changed or too much (%#)',
    async (method, path, body, status, param) => {
      expect(refusal(await api.send(method, path, { body }))).toMatchObject({ status, param });
    },
  );

  it('answers HEAD like GET, without a body', async () => {
    const { key } = await api.insertKey();
    const head = await fetch(api.url('/admin/v1/accounts/acct_test'), {
      method: 'HEAD',
      headers: { authorization: `Bearer ${key}` },
    });
    expect(head.status).toBe(200);
    expect(head.headers.get('etag')).toMatch(/^"[\w-]{22}"$/);
    expect(await head.text()).toBe('');
  });

  it.each<[number, string, string | null, unknown, Record<string, string>?]>([
    [400, 'invalid_json', null, '{"name":'],
    [400, 'invalid_request', null, '[]'],
    [415, 'unsupported_media_type', null, '{}', { 'content-type': 'text/plain' }],
    [415, 'unsupported_media_type', null, '{}', { 'content-encoding': 'gzip' }],
    [400, 'invalid_request', 'scopes', { name: 'a' }],
    [422, 'unknown_field', 'budget', { name: 'a', scopes: ['keys:read'], budget: 1 }],
    [400, 'invalid_request', 'scopes[0]', { name: 'a', scopes: ['everything'] }],
    [422, 'unknown_field', '__proto__', '{"name":"a","scopes":["keys:read"],"__proto__":{}}'],
    [400, 'invalid_request', 'name', { name: 'a\ud800', scopes: ['keys:read'] }],
    [400, 'invalid_request', 'name', { name: 'a\0', scopes: ['keys:read'] }],
    [413, 'request_too_large', null, ' '.repeat(1024 * 1024 + 1)],
  ])('refuses a wrong body with %i %s', async (status, code, param, body, headers = {}) => {
    expect(refusal(await api.post('/admin/v1/admin_keys', body, { headers }))).toEqual({
      status,
      code,
      param,
    });
  });

  it('refuses unknown query parameters, and a body that a route does not take', async () => {
    expect(refusal(await api.get('/admin/v1/admin_keys?limitt=1'))).toEqual({
      status: 422,
      code: 'unknown_field',
      param: 'limitt',
    });
    expect(refusal(await api.get('/admin/v1/admin_keys?limit=201'))).toMatchObject({
      status: 400,
      param: 'limit',
    });
    expect(refusal(await api.send('DELETE', '/admin/v1/admin_keys/adm_1', { body: {} }))).toMatchObject({
      status: 400,
      code: 'invalid_request',
    });
  });

  it('refuses broken framing as every service does', async () => {
    const socket = connect(Number(new URL(api.url('/')).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      'POST /admin/v1/accounts HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 400 /);
    expect(String(answer)).toContain('"code":"invalid_request"');
    socket.destroy();
  });

  it("echoes the client's request id, and writes an access line without query and key", async () => {
    const { id, key } = await api.insertKey();
    const { headers } = await api.get('/admin/v1/admin_keys?limit=1', {
      key,
      headers: { 'x-request-id': 'mine-1' },
    });
    expect(headers.get('x-client-request-id')).toBe('mine-1');
    await expect.poll(() => control.logText()).toContain(headers.get('x-request-id'));
    const line = control
      .logText()
      .split('\n')
      .find((each) => each.includes(headers.get('x-request-id') ?? '-') && each.includes('"request"'));
    expect(JSON.parse(line ?? '')).toMatchObject({
      method: 'GET',
      route: '/admin/v1/admin_keys',
      status: 200,
      admin_key_id: id,
      client_ip: '127.0.0.1',
    });
    expect(control.logText()).not.toContain(key);
  });

  it('counts answers in metrics', async () => {
    await api.get('/health', { key: null });
    const [plane] = control.planes;
    const metrics = await (await fetch(`http://127.0.0.1:${plane?.internalPort}/metrics`)).text();
    expect(metrics).toMatch(/gateway_admin_requests_total\{route="\/health",status="200"\} \d+/);
    expect(metrics).toContain('gateway_admin_request_duration_seconds_bucket');
  });
});

it('a body that is nested too deep is refused, and one that waits for "100 Continue" is read', async () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const answer = await api.post('/admin/v1/admin_keys', deep, { headers: { 'idempotency-key': 'deep' } });
  expect(refusal(answer).status).toBe(400);
  const { key } = await api.insertKey();
  const body = JSON.stringify({ name: 'waits', scopes: ['keys:read'] });
  const socket = connect(Number(new URL(api.url('/')).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `POST /admin/v1/admin_keys HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nExpect: 100-continue\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
  );
  const [first] = await once(socket, 'data');
  expect(String(first)).toMatch(/^HTTP\/1\.1 100 /);
  socket.write(body);
  const [second] = await once(socket, 'data');
  expect(String(second)).toMatch(/^HTTP\/1\.1 201 /);
  socket.destroy();
});
