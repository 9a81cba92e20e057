import { openSql } from '@model-gateway/test-kit/open-sql';
import { startGateway, type TestGateway } from '@model-gateway/test-kit/start-gateway';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  CLIENT,
  callbackPath,
  type IdentityProvider,
  signInAs,
  startIdentityProvider,
} from './identity-provider-fixture.ts';
import { Browser, newAddress, refusal, type Server, startServerOf } from './server-fixture.ts';

let gateway: TestGateway;
let provider: IdentityProvider;
let server: Server;
beforeAll(async () => {
  gateway = await startGateway({ dataPlanes: 0 });
  provider = await startIdentityProvider();
  server = await startServerOf(gateway, {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
  });
});
afterEach(() => {
  provider.signedInSecondsAgo = 0;
});
afterAll(async () => {
  await server?.close();
  await provider?.close();
  await gateway?.close();
});

/** Signs in, and makes the proof of identity of every session too old. */
async function signedInBefore() {
  const login = `${newAddress()}|${newAddress()}|true`;
  const browser = new Browser(server);
  await signInAs(browser, login);
  await using sql = openSql(gateway.databaseUrl);
  await sql.run(`UPDATE dashboard_sessions SET proved_at = now() - interval '11 minutes'`);
  const again = async (edit?: (url: URL) => string) => {
    const path = await callbackPath(browser, login, undefined, { again: true, ...(edit && { edit }) });
    return (await browser.fetch(path)).headers.get('location');
  };
  const createKey = () => browser.post('/api/keys', { name: 'CI' });
  return { again, browser, createKey, login };
}

const NOT_PROVEN = [403, 'reauthentication_required'];

const withMaxAge = (seconds: string | undefined) => (url: URL) => {
  if (seconds === undefined) url.searchParams.delete('max_age');
  else url.searchParams.set('max_age', seconds);
  return url.href;
};

describe('another sign-in at an identity provider', () => {
  it('is requested with max_age=0, and proves who the person is if auth_time is recent', async () => {
    const { again, createKey } = await signedInBefore();
    expect(await refusal(await createKey())).toEqual(NOT_PROVEN);
    const requested: (string | null)[] = [];
    const location = await again((url) => {
      requested.push(url.searchParams.get('max_age'));
      return url.href;
    });
    expect(requested).toEqual(['0']);
    expect(location).toBe('/dashboard/usage');
    expect((await createKey()).status).toBe(201);
  });

  it.each([
    ['no auth_time', 'proof_time_missing', undefined, 0],
    ['an auth_time of more than ten minutes ago', 'proof_too_old', '100000', 601],
  ])('proves nothing with %s, and the earlier session goes on', async (_case, code, maxAge, secondsAgo) => {
    const { again, browser, createKey } = await signedInBefore();
    const session = await browser.json('/api/session');
    provider.signedInSecondsAgo = secondsAgo;
    expect(await again(withMaxAge(maxAge))).toBe(`/sign-in-again?error=${code}`);
    expect(await refusal(await createKey())).toEqual(NOT_PROVEN);
    expect(await browser.json('/api/session')).toEqual(session);
    expect(server.logText()).toContain('or its ID token lacks auth_time');
    await using sql = openSql(gateway.databaseUrl);
    const fresh = `SELECT 1 FROM dashboard_sessions WHERE proved_at > now() - interval '5 minutes'`;
    expect(await sql.rows(fresh)).toEqual([]);
  });

  it('counts from its auth_time, also if it was not requested as a proof', async () => {
    const { login } = await signedInBefore();
    const browser = new Browser(server);
    provider.signedInSecondsAgo = 601;
    const path = await callbackPath(browser, login, undefined, { edit: withMaxAge('100000') });
    expect((await browser.fetch(path)).headers.get('location')).toBe('/dashboard/usage');
    expect(await refusal(await browser.post('/api/keys', { name: 'CI' }))).toEqual(NOT_PROVEN);
  });
});
