import { openSql } from '@model-gateway/test-kit/open-sql';
import { describe, expect, it } from 'vitest';
import {
  backupCodesResponse,
  proofWaysResponse,
  securityResponse,
  startAppResponse,
} from '../wire/security.ts';
import { sessionResponse } from '../wire/session.ts';
import { nextCode } from './authenticator-app.ts';
import { Browser, newAddress, PASSWORD, refusal, signedUp, withServer } from './server-fixture.ts';

const site = withServer({ dataPlanes: 0 });

/** Signs somebody up and sets up an app. @returns also the code that confirmed it */
async function withApp(): Promise<{
  browser: Browser;
  email: string;
  uri: string;
  usedCode: string;
  backupCodes: string[];
}> {
  const email = newAddress();
  const browser = await signedUp(site.server, email);
  const { uri, backupCodes } = startAppResponse.parse(
    await browser.json('/api/security/app/start', { body: { password: PASSWORD } }),
  );
  const usedCode = await nextCode(uri);
  const confirmed = await browser.post('/api/security/app/confirm', { code: usedCode });
  expect(confirmed.status).toBe(200);
  return { browser, email, uri, usedCode, backupCodes };
}

/** Enters the right password. @returns the browser, which is not signed in yet */
async function waitingForCode(email: string): Promise<Browser> {
  const browser = new Browser(site.server);
  expect(await (await browser.signIn(email)).json()).toEqual({ needsCode: true });
  expect(await browser.json('/api/session')).toMatchObject({ user: null });
  return browser;
}

const enter = (browser: Browser, code: string) => browser.post('/api/auth/sign-in/code', { code });
const isSignedIn = async (browser: Browser) =>
  sessionResponse.parse(await browser.json('/api/session')).user !== null;

describe('an authenticator app', () => {
  it('is set up with the password and a first code, and keeps the session', async () => {
    const email = newAddress();
    const browser = await signedUp(site.server, email);
    const wrong = await browser.post('/api/security/app/start', { password: 'a wrong password' });
    expect(await refusal(wrong)).toEqual([400, 'invalid_request']);
    const { uri, backupCodes } = startAppResponse.parse(
      await browser.json('/api/security/app/start', { body: { password: PASSWORD } }),
    );
    expect(uri).toContain(`otpauth://totp/Model%20Gateway:${encodeURIComponent(email)}`);
    expect(backupCodes).toHaveLength(10);
    // Before the first code, the password alone signs in.
    expect(await (await new Browser(site.server).signIn(email)).json()).toEqual({ needsCode: false });
    const confirm = (code: string) => browser.post('/api/security/app/confirm', { code });
    expect(await refusal(await confirm('000000'))).toEqual([401, 'wrong_credentials']);
    expect((await confirm(await nextCode(uri))).status).toBe(200);
    expect(securityResponse.parse(await browser.json('/api/security'))).toMatchObject({
      app: { backupCodesLeft: 10 },
      sessions: [{ isThis: false }, { isThis: true }],
    });
    await waitingForCode(email);
  });

  it('signs in with its code, each once', async () => {
    const { email, uri, usedCode } = await withApp();
    const next = await nextCode(uri);
    const browser = await waitingForCode(email);
    expect(await refusal(await enter(browser, usedCode))).toEqual([401, 'wrong_credentials']);
    expect((await enter(browser, next)).status).toBe(200);
    expect(await isSignedIn(browser)).toBe(true);
    const replay = await waitingForCode(email);
    expect(await refusal(await enter(replay, next))).toEqual([401, 'wrong_credentials']);
    expect(await isSignedIn(replay)).toBe(false);
  });

  it('lets only one of twenty concurrent sign-ins in with the same code', async () => {
    const { email, uri } = await withApp();
    const browsers = await Promise.all(Array.from({ length: 20 }, () => waitingForCode(email)));
    const code = await nextCode(uri);
    const statuses = await Promise.all(browsers.map(async (each) => (await enter(each, code)).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  it('refuses wrong codes: five for one sign-in, ten for a user, who then waits even with the right one', async () => {
    const { email, backupCodes } = await withApp();
    const [right = ''] = backupCodes;
    const browser = await waitingForCode(email);
    for (let tries = 0; tries < 5; tries++) {
      expect(await refusal(await enter(browser, `00000${tries}`))).toEqual([401, 'wrong_credentials']);
    }
    expect(await refusal(await enter(browser, right))).toEqual([401, 'sign_in_ended']);
    const second = await waitingForCode(email);
    for (let tries = 5; tries < 10; tries++) await enter(second, `00000${tries}`);
    const third = await waitingForCode(email);
    expect(await refusal(await enter(third, right))).toEqual([429, 'rate_limit_exceeded']);
  });

  it('needs the browser that gave the password', async () => {
    const { email, uri } = await withApp();
    await waitingForCode(email);
    expect(await refusal(await enter(new Browser(site.server), await nextCode(uri)))).toEqual([
      401,
      'sign_in_ended',
    ]);
  });

  it('is replaced by a backup code, each once', async () => {
    const { browser, email, backupCodes } = await withApp();
    const [backup = ''] = backupCodes;
    const other = await waitingForCode(email);
    expect((await enter(other, backup)).status).toBe(200);
    expect(await isSignedIn(other)).toBe(true);
    expect(await refusal(await enter(await waitingForCode(email), backup))).toEqual([
      401,
      'wrong_credentials',
    ]);
    expect(await browser.json('/api/security')).toMatchObject({ app: { backupCodesLeft: 9 } });
    const renewed = backupCodesResponse.parse(
      await browser.json('/api/security/app/backup-codes', { body: { password: PASSWORD } }),
    );
    expect(renewed.backupCodes).toHaveLength(10);
    expect(await refusal(await enter(await waitingForCode(email), backupCodes[1] ?? ''))).toEqual([
      401,
      'wrong_credentials',
    ]);
  });

  it('proves who the user is instead of the password, also before it is turned off', async () => {
    const { browser, email, uri } = await withApp();
    await using sql = openSql(site.gateway.databaseUrl);
    await sql.run(`UPDATE dashboard_sessions SET proved_at = now() - interval '1 hour'`);
    const ways = proofWaysResponse.parse(await browser.json('/api/re-authentication'));
    expect(ways).toEqual({ ways: ['code'], identityProviders: [] });
    const password = { password: PASSWORD };
    expect(await refusal(await browser.post('/api/re-authentication/password', password))).toEqual([
      409,
      'conflict',
    ]);
    for (const [path, body] of [
      ['/api/security/app/turn-off', password],
      ['/api/auth/change-password', { currentPassword: PASSWORD, newPassword: 'another good password' }],
    ] as const) {
      expect(await refusal(await browser.post(path, body))).toEqual([403, 'reauthentication_required']);
    }
    const code = await nextCode(uri);
    expect((await browser.post('/api/re-authentication/code', { code })).status).toBe(204);
    expect(await refusal(await browser.post('/api/re-authentication/code', { code }))).toEqual([
      401,
      'wrong_credentials',
    ]);
    const wrong = await browser.post('/api/security/app/turn-off', { password: 'a wrong password' });
    expect(await refusal(wrong)).toEqual([400, 'invalid_request']);
    expect((await browser.post('/api/security/app/turn-off', password)).status).toBe(200);
    expect(await (await new Browser(site.server).signIn(email)).json()).toEqual({ needsCode: false });
    expect(await browser.json('/api/security')).toMatchObject({ app: null });
  });

  it('ends with a reset by the operator, for somebody who has lost it', async () => {
    const { email } = await withApp();
    const { token } = await site.gateway.admin.callOnce(10_000, 'accounts', 'resetPassword', {
      account: email,
    });
    const password = 'a password after the reset';
    expect((await new Browser(site.server).post('/api/password-reset', { token, password })).status).toBe(
      204,
    );
    const browser = new Browser(site.server);
    expect(await (await browser.signIn(email, password)).json()).toEqual({ needsCode: false });
    expect(await isSignedIn(browser)).toBe(true);
  });

  it('leaves no secret in the database, the log or the responses of others', async () => {
    const { uri, backupCodes } = await withApp();
    const secret = new URL(uri).searchParams.get('secret') ?? 'none';
    await using sql = openSql(site.gateway.databaseUrl);
    const stored = JSON.stringify(await sql.rows('SELECT * FROM dashboard_two_factors'));
    for (const text of [secret, ...backupCodes]) {
      expect(stored).not.toContain(text);
      expect(site.server.logText()).not.toContain(text);
    }
  });
});
