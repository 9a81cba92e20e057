import { createTestDatabase, type TestDatabase } from '@model-gateway/test-kit/test-database';
import { TEST_SECRETS } from '@model-gateway/test-kit/test-secrets';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseDashboardConfig, startDashboard } from '../src/index.ts';
import { Browser, refusal, type Server, startServer } from './server-fixture.ts';

let database: TestDatabase;
let server: Server;
beforeAll(async () => {
  database = await createTestDatabase();
  server = await startServer({ databaseUrl: database.url });
});
afterAll(async () => {
  await server?.close();
  await database?.drop();
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, { headers });

describe('a page', () => {
  it.each([
    '/',
    '/sign-in',
    '/sign-up',
    '/reset-password',
    '/dashboard/api-keys',
    '/dashboard/usage/x',
    '/status',
    '/models',
  ])('%s allows no foreign content and no inline script', async (path) => {
    const response = await get(path);
    const html = await response.text();
    const nonce = /nonce="([^"]+)"/.exec(html)?.[1];
    expect(response.status).toBe(200);
    expect(nonce).toMatch(/^[\w-]{22}$/);
    expect(html).not.toContain('__CSP_NONCE__');
    expect(response.headers.get('content-security-policy')).toBe(
      `default-src 'none';script-src 'self';style-src 'self' 'nonce-${nonce}';img-src 'self' data:;font-src 'self';connect-src 'self';form-action 'self';frame-ancestors 'none';base-uri 'none';object-src 'none'`,
    );
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('strict-transport-security')).toBeNull();
  });

  it('has a new nonce in every response', async () => {
    const [one, two] = await Promise.all([get('/'), get('/')]);
    expect(await one?.text()).not.toBe(await two?.text());
  });

  it('that does not exist is the site with status 404', async () => {
    for (const path of ['/nothing', '/assets/nothing.js', '/index.html/x', '/dashboardx']) {
      const response = await get(path);
      expect([path, response.status, response.headers.get('content-type')]).toEqual([
        path,
        404,
        'text/html; charset=utf-8',
      ]);
    }
  });
});

describe('a built file', () => {
  it('is compressed, and cached for ever if its name has a hash', async () => {
    const response = await get('/assets/index-abc123.js', { 'accept-encoding': 'gzip' });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-type')).toMatch(/^text\/javascript/);
    expect(await response.text()).toMatch(/^export/);
  });

  it('is sent as compressed by the build, without the content security policy of pages', async () => {
    const response = await get('/assets/index-abc123.js', { 'accept-encoding': 'gzip, br' });
    expect(response.headers.get('content-encoding')).toBe('br');
    expect(response.headers.get('content-security-policy')).toBeNull();
    expect(response.headers.get('vary')).toContain('Accept-Encoding');
    expect(await response.text()).toMatch(/^export/);
  });

  it('is never index.html, which would have no nonce', async () => {
    const response = await get('/index.html');
    expect(response.status).toBe(404);
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(await response.text()).not.toContain('__CSP_NONCE__');
    expect((await get('/colour-scheme.js')).headers.get('content-security-policy')).not.toBeNull();
  });

  it('with a name that cannot be unescaped does not exist', async () => {
    expect(await refusal(await get('/assets/%zz'))).toEqual([404, 'not_found']);
  });

  it('is cached for five minutes if its name has no hash', async () => {
    expect((await get('/colour-scheme.js')).headers.get('cache-control')).toBe('public, max-age=300');
  });
});

describe('under /api', () => {
  it('an unknown route is 404 and another method 405, in the envelope', async () => {
    const browser = new Browser(server);
    expect(await refusal(await browser.fetch('/api/nothing'))).toEqual([404, 'not_found']);
    const wrong = await browser.fetch('/api/keys', { method: 'DELETE' });
    expect(wrong.headers.get('allow')).toBe('GET, HEAD, POST');
    expect(await refusal(wrong)).toEqual([405, 'method_not_allowed']);
  });

  it('every request is logged in one line without its query', async () => {
    const response = await get('/api/requests?fromMs=0&toMs=1&model=secret-query');
    const requestId = response.headers.get('x-request-id') ?? '';
    const lines = server
      .logText()
      .split('\n')
      .filter((line) => line.includes(requestId) && requestId !== '');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { msg: 'request', route: '/api/requests', status: 401, method: 'GET' },
    ]);
    expect(server.logText()).not.toContain('secret-query');
  });
});

describe('the server', () => {
  it('has a health route and request metrics', async () => {
    expect(await (await get('/health')).json()).toMatchObject({ status: 'ok', service: 'dashboard' });
    const metrics = await (await fetch(`http://127.0.0.1:${server.internalPort}/metrics`)).text();
    expect(metrics).toMatch(/gateway_dashboard_requests_total\{route="\/health",status="200"\} \d/);
  });

  it('does not start without its site, and says what builds it', async () => {
    const config = parseDashboardConfig({
      ...TEST_SECRETS,
      DATABASE_URL: database.url,
      PORT: '0',
      INTERNAL_PORT: '0',
    });
    await expect(startDashboard(config, { assetsDir: '/nowhere' })).rejects.toThrow(/run "npm run build"/);
  });

  it('with an https PUBLIC_URL sends HSTS and secure cookies', async () => {
    const origin = 'https://dashboard.example.com';
    await using secure = await startServer({ databaseUrl: database.url, settings: { PUBLIC_URL: origin } });
    const page = await fetch(`${secure.url}/`);
    expect(page.headers.get('strict-transport-security')).toMatch(/^max-age=31536000/);
    const response = await new Browser(secure, { origin }).signUp('somebody@example.com');
    const [cookie = ''] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^__Secure-dashboard\.session_token=.*; HttpOnly; Secure/);
    const local = await new Browser(secure).signUp('somebody@example.com');
    expect(await refusal(local)).toEqual([403, 'foreign_origin']);
  });
});
