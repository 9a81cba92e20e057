import { openSql } from '@model-gateway/test-kit/open-sql';
import { startGateway, type TestGateway } from '@model-gateway/test-kit/start-gateway';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionResponse } from '../wire/session.ts';
import {
  CLIENT,
  type IdentityProvider,
  signInAs,
  startIdentityProvider,
} from './identity-provider-fixture.ts';
import { Browser, newAddress, refusal, type Server, signedUp, startServerOf } from './server-fixture.ts';

let gateway: TestGateway;
let entra: IdentityProvider;
let google: IdentityProvider;
let server: Server;
beforeAll(async () => {
  gateway = await startGateway({ dataPlanes: 0 });
  entra = await startIdentityProvider({ id: 'entra' });
  google = await startIdentityProvider({ id: 'google' });
  server = await start({});
});
afterAll(async () => {
  await server?.close();
  await google?.close();
  await entra?.close();
  await gateway?.close();
});

/** Starts a server with both providers. The domain corp.example belongs to Entra ID. */
function start(settings: Record<string, string>): Promise<Server> {
  return startServerOf(gateway, {
    OIDC_PROVIDERS: 'entra,google',
    ...settingsOf('ENTRA', entra),
    OIDC_ENTRA_EMAIL_DOMAINS: 'corp.example',
    ...settingsOf('GOOGLE', google),
    OIDC_GOOGLE_NAME: 'Google',
    ...settings,
  });
}

function settingsOf(name: string, { issuer }: IdentityProvider): Record<string, string> {
  return {
    [`OIDC_${name}_ISSUER`]: issuer,
    [`OIDC_${name}_CLIENT_ID`]: CLIENT.id,
    [`OIDC_${name}_CLIENT_SECRET`]: CLIENT.secret,
  };
}

const corpAddress = () => newAddress().replace('example.com', 'corp.example');
const accountOf = async (browser: Browser) =>
  sessionResponse.parse(await browser.json('/api/session')).user?.accountId;

describe('several identity providers', () => {
  it('are offered by name, and each creates accounts', async () => {
    expect(await new Browser(server).json('/api/session')).toMatchObject({
      identityProviders: [
        { id: 'entra', name: 'entra' },
        { id: 'google', name: 'Google' },
      ],
    });
    for (const provider of ['entra', 'google']) {
      const email = newAddress();
      const browser = new Browser(server);
      expect(await signInAs(browser, `a|${email}|true`, provider)).toBe('/dashboard/usage');
      expect(await browser.json('/api/session')).toMatchObject({ user: { email, emailVerified: true } });
    }
  });

  it('do not include an unknown one, in the request or the redirect', async () => {
    const browser = new Browser(server);
    const request = await browser.post('/api/auth/sign-in/oauth2', { providerId: 'okta' });
    expect(await refusal(request)).toEqual([404, 'not_found']);
    expect(await refusal(await browser.fetch('/api/auth/callback/credential?code=a&state=b'))).toEqual([
      404,
      'not_found',
    ]);
  });

  it('verify addresses of their own domains without email_verified, which Entra ID does not send', async () => {
    const email = corpAddress();
    const browser = new Browser(server);
    expect(await signInAs(browser, `b|${email}`, 'entra')).toBe('/dashboard/usage');
    expect(await browser.json('/api/session')).toMatchObject({ user: { email, emailVerified: true } });
    // A provider that reports an address as not verified.
    const unproven = new Browser(server);
    await signInAs(unproven, `c|${corpAddress()}|false`, 'entra');
    expect(await unproven.json('/api/session')).toMatchObject({ user: { emailVerified: false } });
    // The same claims about a domain that is not its own.
    const foreign = new Browser(server);
    await signInAs(foreign, `d|${newAddress()}`, 'entra');
    expect(await foreign.json('/api/session')).toMatchObject({ user: { emailVerified: false } });
  });

  it('never claim an address of a domain that belongs to another one', async () => {
    const email = corpAddress();
    const employee = new Browser(server);
    await signInAs(employee, `e|${email}`, 'entra');
    for (const address of [email, corpAddress()]) {
      const stranger = new Browser(server);
      expect(await signInAs(stranger, `f|${address}|true`, 'google')).toBe(
        '/sign-in?error=sign_in_elsewhere',
      );
      expect(await stranger.json('/api/session')).toMatchObject({ user: null });
    }
    expect(await accountOf(employee)).toBeDefined();
  });

  it('do not take over the account of another one, even with a verified address', async () => {
    const email = newAddress();
    const first = new Browser(server);
    await signInAs(first, `g|${email}|true`, 'google');
    const id = await accountOf(first);
    const other = new Browser(server);
    expect(await signInAs(other, `h|${email}|true`, 'entra')).toBe('/sign-in?error=sign_in_elsewhere');
    expect(await other.json('/api/session')).toMatchObject({ user: null });
    await using sql = openSql(gateway.databaseUrl);
    expect(
      await sql.rows(
        `SELECT c.provider_id FROM dashboard_credentials c JOIN dashboard_users u ON u.id = c.user_id
         WHERE u.email = $1`,
        email,
      ),
    ).toEqual([{ provider_id: 'google' }]);
    expect(await accountOf(first)).toBe(id);
  });

  it('get the account of another one for an address of their own domain', async () => {
    const email = corpAddress();
    // Signed in with Google before the domain was given to Entra ID.
    await using before = await start({ OIDC_ENTRA_EMAIL_DOMAINS: '' });
    const first = new Browser(before);
    await signInAs(first, `i|${email}|true`, 'google');
    const employee = new Browser(server);
    expect(await signInAs(employee, `j|${email}`, 'entra')).toBe('/dashboard/usage');
    expect(await accountOf(employee)).toBe(await accountOf(first));
    expect(await signInAs(new Browser(server), `i|${email}|true`, 'google')).toBe(
      '/sign-in?error=sign_in_elsewhere',
    );
  });

  it('are linked to a user with a password and the same verified address', async () => {
    const email = newAddress();
    const browser = await signedUp(server, email);
    await using sql = openSql(gateway.databaseUrl);
    await sql.run('UPDATE dashboard_users SET email_verified = true WHERE email = $1', email);
    const elsewhere = new Browser(server);
    expect(await signInAs(elsewhere, `k|${email}|true`, 'google')).toBe('/dashboard/usage');
    expect(await accountOf(elsewhere)).toBe(await accountOf(browser));
  });

  it('work while another one cannot be reached', async () => {
    await using half = await start({ OIDC_GOOGLE_ISSUER: 'http://127.0.0.1:9' });
    const response = await new Browser(half).post('/api/auth/sign-in/oauth2', { providerId: 'google' });
    expect(await refusal(response)).toEqual([503, 'service_unavailable']);
    expect(await signInAs(new Browser(half), `l|${newAddress()}|true`, 'entra')).toBe('/dashboard/usage');
  });
});

describe('ALLOWED_EMAIL_DOMAINS', () => {
  let strict: Server;
  beforeAll(async () => {
    strict = await start({ ALLOWED_EMAIL_DOMAINS: 'corp.example,allowed.example' });
  });
  afterAll(() => strict?.close());
  const allowed = () => newAddress().replace('example.com', 'allowed.example');

  it('refuses a sign-up with an address of another domain or a subdomain', async () => {
    for (const address of [newAddress(), `a@sub.allowed.example`, 'a@allowed.example.evil.example']) {
      expect(await refusal(await new Browser(strict).signUp(address))).toEqual([403, 'address_not_allowed']);
    }
    expect((await new Browser(strict).signUp(allowed().toUpperCase())).status).toBe(200);
  });

  it('refuses single sign-on with an address of another domain, or one that is not verified', async () => {
    for (const [login, end] of [
      [`m|${newAddress()}|true`, '/sign-in?error=address_not_allowed'],
      [`n|a@sub.allowed.example|true`, '/sign-in?error=address_not_allowed'],
      [`o|${allowed()}|false`, '/sign-in?error=address_not_verified'],
      [`p|${allowed()}`, '/sign-in?error=address_not_verified'],
      [`q|${allowed()}|true`, '/dashboard/usage'],
    ] as const) {
      const browser = new Browser(strict);
      expect(await signInAs(browser, login, 'google'), login).toBe(end);
    }
    // An identity provider may change the address of somebody who is known.
    const email = newAddress();
    expect(await signInAs(new Browser(server), `r|${email}|true`, 'google')).toBe('/dashboard/usage');
    expect(await signInAs(new Browser(strict), `r|${email}|true`, 'google')).toBe(
      '/sign-in?error=address_not_allowed',
    );
  });
});

describe('SSO_ONLY', () => {
  it('switches off every use of passwords, also for accounts of the operator, and ends their sessions', async () => {
    const email = newAddress();
    const withPassword = await signedUp(server, email);
    const linked = new Browser(server);
    await signInAs(linked, `s|${newAddress()}|true`, 'google');
    await gateway.admin.callOnce(5_000, 'accounts', 'createAccount', {
      email: 'op@corp.example',
      name: 'Op',
    });
    const reset = await gateway.admin.callOnce(10_000, 'accounts', 'resetPassword', {
      account: 'op@corp.example',
    });
    await using only = await start({ SSO_ONLY: 'true', SMTP_URL: 'smtp://127.0.0.1:9' });
    const browser = new Browser(only);
    expect(await browser.json('/api/session')).toMatchObject({ ssoOnly: true });
    const withSessionOf = ({ cookies }: Browser) => {
      const same = new Browser(only);
      for (const [name, value] of cookies) same.cookies.set(name, value);
      return same;
    };
    for (const response of [
      await browser.signIn(email),
      await browser.signUp(newAddress()),
      await browser.post('/api/password-reset', { token: reset.token, password: 'a long new password' }),
      await browser.post('/api/password-reset/request', { email }),
      await withSessionOf(linked).post('/api/auth/change-password', {
        currentPassword: 'x',
        newPassword: 'a long new password',
      }),
    ]) {
      expect(await refusal(response)).toEqual([403, 'permission_denied']);
    }
    const ended = withSessionOf(withPassword);
    await expect.poll(async () => (await ended.fetch('/api/keys')).status).toBe(401);
    expect((await linked.fetch('/api/keys')).status).toBe(200);
    // The operator's account is reached by its address at the provider.
    const operator = new Browser(only);
    expect(await signInAs(operator, 't|op@corp.example', 'entra')).toBe('/dashboard/usage');
    expect(await operator.json('/api/session')).toMatchObject({ user: { name: 'Op' } });
  });
});
