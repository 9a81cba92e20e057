import { createServer } from 'node:http';
import { closeServer, listen } from '@model-gateway/service-kit';
import { freePort } from '@model-gateway/test-kit/free-port';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { startGateway, type TestGateway } from '@model-gateway/test-kit/start-gateway';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keysResponse } from '../wire/keys.ts';
import { sessionResponse } from '../wire/session.ts';
import { teamsResponse } from '../wire/teams.ts';
import {
  CLIENT,
  callbackPath,
  type IdentityProvider,
  signInAs,
  startIdentityProvider,
} from './identity-provider-fixture.ts';
import {
  Browser,
  createKey,
  newAddress,
  PUBLIC_URL,
  refusal,
  type Server,
  signedUp,
  startServerOf,
} from './server-fixture.ts';

let gateway: TestGateway;
let provider: IdentityProvider;
let open: Server;
let closed: Server;
beforeAll(async () => {
  gateway = await startGateway({ dataPlanes: 0, signupPoolUsd: '3.00' });
  provider = await startIdentityProvider();
  open = await start({});
  closed = await start({ SIGNUP: 'closed' });
});
afterAll(async () => {
  await open?.close();
  await closed?.close();
  await provider?.close();
  await gateway?.close();
});

function start(settings: Record<string, string>, issuer = provider.issuer): Promise<Server> {
  return startServerOf(gateway, {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    OIDC_NAME: 'Example ID',
    ...settings,
  });
}

describe('single sign-on', () => {
  it('is named in the session response', async () => {
    expect(await new Browser(open).json('/api/session')).toMatchObject({
      identityProviders: [{ id: 'oidc', name: 'Example ID' }],
    });
  });

  it('opens an account on its first use and finds it again', async () => {
    const email = newAddress();
    const browser = new Browser(open);
    expect(await signInAs(browser, `1|${email}|true`)).toBe('/dashboard/usage');
    const session = await browser.json('/api/session');
    expect(session).toMatchObject({ user: { email, name: 'Known Elsewhere' } });
    const again = new Browser(open);
    await signInAs(again, `1|${email}|true`);
    expect(await again.json('/api/session')).toEqual(session);
  });

  it('names the account after its address if the name is too long', async () => {
    const browser = new Browser(open);
    const email = newAddress();
    await signInAs(browser, `long|${email}|true|300`);
    expect(await browser.json('/api/session')).toMatchObject({ user: { name: email.split('@')[0] } });
  });

  it('leads back to the sign-in page for an address that no account can have', async () => {
    const browser = new Browser(open);
    const email = `jörg-${newAddress()}`;
    expect(await signInAs(browser, `umlaut|${email}|true`)).toBe('/sign-in?error=sign_up_refused');
    expect(await browser.json('/api/session')).toMatchObject({ user: null });
    await using sql = openSql(gateway.databaseUrl);
    expect(await sql.rows('SELECT 1 FROM dashboard_users WHERE email = $1', email)).toEqual([]);
  });

  it('refuses a callback in another browser, and a second time', async () => {
    const attacker = new Browser(open);
    const callback = await callbackPath(attacker, `lure|${newAddress()}|true`);
    const victim = new Browser(open);
    const lured = await victim.fetch(callback);
    expect(lured.headers.get('location')).toMatch(/\/sign-in\?error=/);
    expect(await victim.json('/api/session')).toMatchObject({ user: null });
    const cookies = new Map(attacker.cookies);
    expect((await attacker.fetch(callback)).headers.get('location')).toBe('/dashboard/usage');
    attacker.cookies.clear();
    for (const [name, value] of cookies) attacker.cookies.set(name, value);
    expect((await attacker.fetch(callback)).headers.get('location')).toMatch(/\/sign-in\?error=/);
    expect(await attacker.json('/api/session')).toMatchObject({ user: null });
  });

  it('leads to the sign-in page for any callback with an error', async () => {
    for (const search of [
      '?error=%0d%0aX:y',
      '?error=a&state=b',
      '?code=a&state=b&error_uri=//evil.example',
    ]) {
      const response = await new Browser(open).fetch(`/api/auth/callback/oidc${search}`);
      const location = response.headers.get('location') ?? `status ${response.status}`;
      expect(new URL(location, PUBLIC_URL).origin, location).toBe(PUBLIC_URL);
      expect(new URL(location, PUBLIC_URL).pathname).toBe('/sign-in');
    }
  });

  it('stores no token of the identity provider', async () => {
    await signInAs(new Browser(open), `2|${newAddress()}|true`);
    await using sql = openSql(gateway.databaseUrl);
    const tokens = `SELECT 1 FROM dashboard_credentials WHERE provider_id = 'oidc'`;
    expect(await sql.rows(tokens)).not.toEqual([]);
    expect(
      await sql.rows(
        `${tokens} AND (access_token IS NOT NULL OR refresh_token IS NOT NULL OR id_token IS NOT NULL)`,
      ),
    ).toEqual([]);
  });

  it('gives an account that an operator has opened to whoever has its verified address', async () => {
    const email = newAddress();
    const { id } = await gateway.admin.call(5_000, 'accounts', 'createAccount', { email, name: 'Operator' });
    const unproven = new Browser(closed);
    expect(await signInAs(unproven, `3|${email}|false`)).toBe('/sign-in?error=sign_up_closed');
    expect(await unproven.json('/api/session')).toMatchObject({ user: null });
    const proven = new Browser(closed);
    expect(await signInAs(proven, `4|${email}|true`)).toBe('/dashboard/usage');
    expect(await proven.json('/api/session')).toMatchObject({ user: { accountId: id } });
  });

  it('opens no account while sign-up is closed, and stores no user', async () => {
    const email = newAddress();
    const browser = new Browser(closed);
    expect(await signInAs(browser, `5|${email}|true`)).toBe('/sign-in?error=sign_up_closed');
    expect(browser.cookies.has('dashboard.session_token')).toBe(false);
    await using sql = openSql(gateway.databaseUrl);
    expect(await sql.rows('SELECT 1 FROM dashboard_users WHERE email = $1', email)).toEqual([]);
  });

  it('with an unverified address never gets the account of that address', async () => {
    const email = newAddress();
    const holder = await signedUp(open, email);
    const browser = new Browser(open);
    expect(await signInAs(browser, `6|${email}|false`)).toBe('/sign-in?error=sign_up_refused');
    expect(await browser.json('/api/session')).toMatchObject({ user: null });
    expect(await holder.json('/api/session')).toMatchObject({ user: { email, emailVerified: false } });
  });

  it('with a verified address gets the account of an unverified sign-up, whose sessions and keys end', async () => {
    const email = newAddress();
    const impostor = await signedUp(open, email);
    const before = sessionResponse.parse(await impostor.json('/api/session'));
    const { key } = await createKey(impostor, 'Kept');
    // An address that the identity provider has not verified is an impostor's as well.
    const unproven = new Browser(open);
    expect(await signInAs(unproven, `cfo-1|${email}|false`)).toBe('/sign-in?error=sign_up_refused');
    const real = new Browser(open);
    const asRealOne = `cfo|${email.toUpperCase()}|true`;
    expect(await signInAs(real, asRealOne)).toBe('/dashboard/usage');
    const after = sessionResponse.parse(await real.json('/api/session'));
    expect(after.user).toEqual({ ...before.user, emailVerified: true });
    expect(await refusal(await impostor.fetch('/api/keys'))).toEqual([401, 'signed_out']);
    expect(await refusal(await new Browser(open).signIn(email))).toEqual([401, 'wrong_credentials']);
    expect(await refusal(await new Browser(open).signUp(email))).toEqual([409, 'sign_up_refused']);
    const { keys } = keysResponse.parse(await real.json('/api/keys'));
    expect(keys).toMatchObject([{ id: key.id, revokedAtMs: expect.any(Number) }]);
    // The next sign-in finds the same account.
    const again = new Browser(open);
    expect(await signInAs(again, asRealOne)).toBe('/dashboard/usage');
    expect(sessionResponse.parse(await again.json('/api/session')).user).toEqual(after.user);
  });

  it('with a verified address gets the account of an unverified user of the same identity provider', async () => {
    const email = newAddress();
    const impostor = new Browser(open);
    expect(await signInAs(impostor, `un|${email}|false`)).toBe('/dashboard/usage');
    expect(await impostor.json('/api/session')).toMatchObject({ user: { emailVerified: false } });
    const real = new Browser(open);
    expect(await signInAs(real, `real|${email}|true`)).toBe('/dashboard/usage');
    expect(await refusal(await impostor.fetch('/api/keys'))).toEqual([401, 'signed_out']);
    const back = new Browser(open);
    expect(await signInAs(back, `un|${email}|false`)).toBe('/sign-in?error=sign_up_refused');
  });

  it('is linked to a user with the same verified address, who keeps sessions and keys', async () => {
    const email = newAddress();
    const browser = await signedUp(open, email);
    await browser.json('/api/keys', { body: { name: 'Laptop' } });
    await using sql = openSql(gateway.databaseUrl);
    await sql.run('UPDATE dashboard_users SET email_verified = true WHERE email = $1', email);
    const session = await browser.json('/api/session');
    expect(session).toMatchObject({ user: { emailVerified: true } });
    const elsewhere = new Browser(open);
    expect(await signInAs(elsewhere, `joined|${email}|true`)).toBe('/dashboard/usage');
    expect(await elsewhere.json('/api/session')).toEqual(session);
    expect(await browser.json('/api/keys')).toMatchObject({ keys: [{ name: 'Laptop', revokedAtMs: null }] });
    expect((await new Browser(open).signIn(email)).status).toBe(200);
    // Another subject who later gets the address at the identity provider does not get the account.
    const successor = new Browser(open);
    expect(await signInAs(successor, `successor|${email}|true`)).toBe('/sign-in?error=sign_up_refused');
    expect(await browser.json('/api/session')).toEqual(session);
  });

  it('verifies no address with letters whose lower case is ASCII', async () => {
    const email = `k${newAddress()}`;
    await gateway.admin.callOnce(5_000, 'accounts', 'createAccount', { email, name: 'Made by an operator' });
    const browser = new Browser(open);
    // The Kelvin sign, whose lower case is k.
    expect(await signInAs(browser, `kelvin|\u212a${email.slice(1)}|true`)).toBe(
      '/sign-in?error=sign_up_refused',
    );
    expect(await browser.json('/api/session')).toMatchObject({ user: null });
  });

  it('refuses an impostor after an operator has reset the password of the account', async () => {
    const email = newAddress();
    const impostor = new Browser(open);
    expect(await signInAs(impostor, `back|${email}|false`)).toBe('/dashboard/usage');
    const { token } = await gateway.admin.callOnce(10_000, 'accounts', 'resetPassword', { account: email });
    expect(await signInAs(new Browser(open), `back|${email}|false`)).toBe('/sign-in?error=sign_up_refused');
    const real = new Browser(open);
    const password = 'a password of the real one';
    expect((await real.post('/api/password-reset', { token, password })).status).toBe(204);
    expect((await real.signIn(email, password)).status).toBe(200);
    expect(await signInAs(new Browser(open), `back|${email}|false`)).toBe('/sign-in?error=sign_up_refused');
    expect(await refusal(await impostor.fetch('/api/keys'))).toEqual([401, 'signed_out']);
  });

  it('gives a new account its included balance only with a verified address', async () => {
    const unproven = new Browser(open);
    await signInAs(unproven, `poor|${newAddress()}|false`);
    expect(teamsResponse.parse(await unproven.json('/api/teams')).accountPools).toEqual([]);
    expect(teamsResponse.parse(await (await signedUp(open)).json('/api/teams')).accountPools).toEqual([]);
    const proven = new Browser(open);
    await signInAs(proven, `rich|${newAddress()}|true`);
    expect(teamsResponse.parse(await proven.json('/api/teams')).accountPools).toMatchObject([
      { includedUsd: '3.000000000' },
    ]);
  });

  it('refuses a return path to another site', async () => {
    for (const callbackURL of ['https://evil.example/', '//evil.example', '/\\evil.example']) {
      const response = await new Browser(open).post('/api/auth/sign-in/oauth2', { callbackURL });
      expect(await refusal(response)).toEqual([400, 'invalid_request']);
    }
  });

  it('does not affect passwords while the identity provider does not respond', async () => {
    const silent = createServer(() => undefined);
    const port = await listen(silent, 0, '127.0.0.1');
    try {
      await using server = await start({}, `http://127.0.0.1:${port}`);
      const email = newAddress();
      await signedUp(server, email);
      expect((await new Browser(server).signIn(email)).status).toBe(200);
      const response = await new Browser(server).post('/api/auth/sign-in/oauth2', {});
      expect(await refusal(response)).toEqual([503, 'service_unavailable']);
    } finally {
      silent.closeAllConnections();
      await closeServer(silent, 0);
    }
  });

  it('works as soon as an identity provider that was unavailable at the start can be reached', async () => {
    const port = await freePort();
    await using server = await start({}, `http://127.0.0.1:${port}`);
    const body = { callbackURL: '/dashboard/usage' };
    const away = await new Browser(server).post('/api/auth/sign-in/oauth2', body);
    expect(await refusal(away)).toEqual([503, 'service_unavailable']);
    const late = await startIdentityProvider({ port });
    try {
      const browser = new Browser(server);
      expect(await signInAs(browser, `7|${newAddress()}|true`)).toBe('/dashboard/usage');
    } finally {
      await late.close();
    }
  });
});
