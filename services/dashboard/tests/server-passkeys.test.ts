import { openSql } from '@model-gateway/test-kit/open-sql';
import { describe, expect, it } from 'vitest';
import { proofWaysResponse, securityResponse } from '../wire/security.ts';
import { sessionResponse } from '../wire/session.ts';
import { Browser, newAddress, refusal, signedUp, withServer } from './server-fixture.ts';
import { SoftwarePasskey } from './software-passkey.ts';

const site = withServer({ dataPlanes: 0 });

async function withPasskey(): Promise<{ browser: Browser; email: string; passkey: SoftwarePasskey }> {
  const email = newAddress();
  const browser = await signedUp(site.server, email);
  const passkey = new SoftwarePasskey();
  const options = await browser.json('/api/security/passkeys/options', { body: {} });
  const added = await browser.post('/api/security/passkeys', {
    name: 'Laptop',
    response: passkey.register(options),
  });
  expect(added.status).toBe(204);
  return { browser, email, passkey };
}

const signInOptions = (browser: Browser) => browser.json('/api/auth/sign-in/passkey/options', { body: {} });
const WRONG = [401, 'wrong_credentials'];

describe('a passkey', () => {
  it('signs in without address and password', async () => {
    const { browser, email, passkey } = await withPasskey();
    const other = new Browser(site.server);
    const response = passkey.sign(await signInOptions(other));
    expect((await other.post('/api/auth/sign-in/passkey', { response })).status).toBe(200);
    const { user } = sessionResponse.parse(await other.json('/api/session'));
    expect(user).toMatchObject({ email });
    const { passkeys, sessions } = securityResponse.parse(await browser.json('/api/security'));
    expect(passkeys).toMatchObject([{ id: passkey.id, name: 'Laptop', usedAtMs: expect.any(Number) }]);
    expect(sessions.map(({ way }) => way).toSorted()).toEqual(['passkey', 'password']);
  });

  it('answers a challenge once, for this site only, and after its user was verified', async () => {
    const { passkey } = await withPasskey();
    const browser = new Browser(site.server);
    const signIn = async (response: object) =>
      await refusal(await browser.post('/api/auth/sign-in/passkey', { response }));
    for (const signing of [{ origin: 'http://evil.example' }, { verifiesUser: false }]) {
      expect(await signIn(passkey.sign(await signInOptions(browser), signing))).toEqual(WRONG);
    }
    const response = passkey.sign(await signInOptions(browser));
    expect((await browser.post('/api/auth/sign-in/passkey', { response })).status).toBe(200);
    expect(await signIn(response)).toEqual(WRONG);
    const madeUp = { challenge: Buffer.alloc(32).toString('base64url') };
    expect(await signIn(passkey.sign(madeUp))).toEqual(WRONG);
    expect(await signIn(new SoftwarePasskey().sign(await signInOptions(browser)))).toEqual(WRONG);
  });

  it('that counts its uses is refused if the count goes back, which a copy of it would cause', async () => {
    const { passkey } = await withPasskey();
    const browser = new Browser(site.server);
    const signIn = async (counter: number) => {
      const response = passkey.sign(await signInOptions(browser), { counter });
      return (await browser.post('/api/auth/sign-in/passkey', { response })).status;
    };
    expect(await signIn(5)).toBe(200);
    expect(await signIn(5)).toBe(401);
    expect(await signIn(4)).toBe(401);
    expect(await signIn(6)).toBe(200);
  });

  it('proves who its user is, but not who somebody else is', async () => {
    const { browser, passkey } = await withPasskey();
    const stranger = await withPasskey();
    await using sql = openSql(site.gateway.databaseUrl);
    await sql.run(`UPDATE dashboard_sessions SET proved_at = now() - interval '1 hour'`);
    const ways = proofWaysResponse.parse(await browser.json('/api/re-authentication'));
    expect(ways.ways).toEqual(['passkey', 'password']);
    const options = () => browser.json('/api/re-authentication/passkey/options', { body: {} });
    const foreign = stranger.passkey.sign(await options());
    expect(
      await refusal(await browser.post('/api/re-authentication/passkey', { response: foreign })),
    ).toEqual(WRONG);
    // A proof does not accept the challenge of a sign-in.
    const signIn = passkey.sign(await signInOptions(browser));
    expect(await refusal(await browser.post('/api/re-authentication/passkey', { response: signIn }))).toEqual(
      WRONG,
    );
    const response = passkey.sign(await options());
    expect((await browser.post('/api/re-authentication/passkey', { response })).status).toBe(204);
    expect((await browser.post('/api/keys', { name: 'CI' })).status).toBe(201);
  });

  it('is registered by its user with a challenge of theirs, and removed by nobody else', async () => {
    const { browser, passkey } = await withPasskey();
    const other = await signedUp(site.server);
    const options = await other.json('/api/security/passkeys/options', { body: {} });
    const body = { name: 'Mine', response: new SoftwarePasskey().register(options) };
    expect(await refusal(await browser.post('/api/security/passkeys', body))).toEqual([
      400,
      'invalid_request',
    ]);
    const removal = `/api/security/passkeys/${passkey.id}/remove`;
    expect(await refusal(await other.post(removal))).toEqual([404, 'not_found']);
    expect((await browser.post(removal)).status).toBe(204);
    const again = new Browser(site.server);
    const response = passkey.sign(await signInOptions(again));
    expect(await refusal(await again.post('/api/auth/sign-in/passkey', { response }))).toEqual(WRONG);
  });
});
