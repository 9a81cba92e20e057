import { startGateway, type TestGateway } from '@model-gateway/test-kit/start-gateway';
import { startTcpProxy, type TcpProxy } from '@model-gateway/test-kit/tcp-proxy';
import { until } from '@model-gateway/test-kit/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, newAddress, refusal, type Server, signedUp, startServer } from './server-fixture.ts';

let gateway: TestGateway;
let controlPlane: TcpProxy;
let database: TcpProxy;
let server: Server;
beforeAll(async () => {
  gateway = await startGateway({ dataPlanes: 0 });
  controlPlane = await startTcpProxy(gateway.controlPlanes[0]?.grpcPort ?? 0, '127.0.0.1');
  const url = new URL(gateway.databaseUrl);
  database = await startTcpProxy(Number(url.port || 5432), url.hostname);
  url.host = `127.0.0.1:${database.port}`;
  server = await startServer({ databaseUrl: url.href, controlPlanePorts: [controlPlane.port] });
});
afterAll(async () => {
  await server?.close();
  await database?.[Symbol.asyncDispose]();
  await controlPlane?.[Symbol.asyncDispose]();
  await gateway?.close();
});

describe('without the database', () => {
  it('nobody is signed out: every request gets 503 until it is back', async () => {
    const email = newAddress();
    const browser = await signedUp(server, email);
    expect((await browser.fetch('/api/keys')).status).toBe(200);
    database.cut();
    const cookies = new Map(browser.cookies);
    for (const path of ['/api/keys', '/api/session']) {
      const response = await browser.fetch(path);
      expect(Number(response.headers.get('retry-after')), path).toBeGreaterThan(0);
      expect(await refusal(response), path).toEqual([503, 'service_unavailable']);
    }
    expect(await refusal(await browser.post('/api/auth/sign-out'))).toEqual([503, 'service_unavailable']);
    expect(await refusal(await browser.signIn(email))).toEqual([503, 'service_unavailable']);
    expect(await refusal(await browser.signUp(newAddress()))).toEqual([503, 'service_unavailable']);
    const reset = await browser.post('/api/password-reset', { token: 'x', password: 'long enough password' });
    expect(await refusal(reset)).toEqual([503, 'service_unavailable']);
    expect(browser.cookies).toEqual(cookies);
    await until(async () => (await server.readiness()).status === 503);
    expect(await (await server.readiness()).json()).toMatchObject({
      reasons: ['the database cannot be reached'],
    });
    database.restore();
    await until(async () => (await browser.fetch('/api/keys')).status === 200);
    await until(async () => (await server.readiness()).status === 200);
  });
});

describe('without a control plane', () => {
  it('every request about an account gets 503 until it is back', async () => {
    const browser = await signedUp(server);
    controlPlane.cut();
    for (const path of [
      '/api/keys',
      '/api/teams',
      '/api/limits',
      '/api/usage?width=day&fromMs=0&toMs=86400000',
    ]) {
      expect(await refusal(await browser.fetch(path)), path).toEqual([503, 'service_unavailable']);
    }
    const csv = await browser.fetch('/api/usage.csv?width=day&fromMs=0&toMs=86400000');
    expect(await refusal(csv)).toEqual([503, 'service_unavailable']);
    await until(async () => (await server.readiness()).status === 503);
    controlPlane.restore();
    await until(async () => (await browser.fetch('/api/keys')).status === 200);
  });

  it('a sign-up succeeds, and a later request opens the account', async () => {
    const email = newAddress();
    controlPlane.cut();
    const browser = await signedUp(server, email);
    expect(await refusal(await browser.fetch('/api/session'))).toEqual([503, 'service_unavailable']);
    controlPlane.restore();
    await until(async () => (await browser.fetch('/api/session')).status === 200);
    expect(await browser.json('/api/session')).toMatchObject({ user: { email } });
  });

  it('a sign-up with another account’s address succeeds at first, and is deleted later', async () => {
    const email = newAddress();
    await gateway.admin.call(5_000, 'accounts', 'createAccount', { email, name: 'Operator' });
    controlPlane.cut();
    const browser = await signedUp(server, email);
    controlPlane.restore();
    await until(async () => (await browser.fetch('/api/keys')).status !== 503);
    expect(await refusal(await browser.fetch('/api/keys'))).toEqual([401, 'signed_out']);
    expect(await refusal(await new Browser(server).signIn(email))).toEqual([401, 'wrong_credentials']);
  });
});
