import { openSql } from '@model-gateway/test-kit/open-sql';
import { describe, expect, it } from 'vitest';
import { proofWaysResponse, securityResponse } from '../wire/security.ts';
import { sessionResponse } from '../wire/session.ts';
import {
  Browser,
  createTeam,
  newAddress,
  PASSWORD,
  refusal,
  signedUp,
  withServer,
} from './server-fixture.ts';

const site = withServer({ dataPlanes: 0 });

/** Lets the last proof of a user's sessions be this old. */
async function ageProof(email: string, minutes: number): Promise<void> {
  await using sql = openSql(site.gateway.databaseUrl);
  await sql.run(
    `UPDATE dashboard_sessions SET proved_at = now() - $2 * interval '1 minute'
     WHERE user_id = (SELECT id FROM dashboard_users WHERE email = $1)`,
    email,
    minutes,
  );
}

function stolenFrom(browser: Browser): Browser {
  const thief = new Browser(site.server);
  for (const [name, value] of browser.cookies) thief.cookies.set(name, value);
  return thief;
}

const sessionsOf = async (browser: Browser) =>
  securityResponse.parse(await browser.json('/api/security')).sessions;

describe('a proof of identity', () => {
  it('of less than ten minutes ago is enough to create a key', async () => {
    const email = newAddress();
    const browser = await signedUp(site.server, email);
    await ageProof(email, 9);
    expect((await browser.post('/api/keys', { name: 'CI' })).status).toBe(201);
  });

  it('of longer ago must be repeated to show a secret, add a passkey or change the second factor', async () => {
    const email = newAddress();
    const browser = await signedUp(site.server, email);
    const { id: teamId } = await createTeam(browser, 'Team');
    await ageProof(email, 11);
    const thief = stolenFrom(browser);
    for (const [path, body] of [
      ['/api/keys', { name: 'CI' }],
      [`/api/teams/${teamId}/seats`, { email: newAddress() }],
      ['/api/security/passkeys/options', {}],
      ['/api/security/passkeys', {}],
      ['/api/security/passkeys/some/remove', {}],
      ['/api/security/app/turn-off', { password: PASSWORD }],
      ['/api/security/app/backup-codes', { password: PASSWORD }],
    ] as const) {
      const refused = await refusal(await thief.post(path, body));
      expect([path, ...refused]).toEqual([path, 403, 'reauthentication_required']);
    }
    // Everything else works without another proof.
    expect((await browser.fetch('/api/keys')).status).toBe(200);

    expect((await browser.post('/api/re-authentication/password', { password: PASSWORD })).status).toBe(204);
    expect((await browser.post('/api/keys', { name: 'CI' })).status).toBe(201);
  });

  it('in another session does not count in this one', async () => {
    const email = newAddress();
    const browser = await signedUp(site.server, email);
    await ageProof(email, 11);
    const other = new Browser(site.server);
    await other.signIn(email);
    expect((await other.post('/api/keys', { name: 'CI' })).status).toBe(201);
    expect(await refusal(await browser.post('/api/keys', { name: 'CI' }))).toEqual([
      403,
      'reauthentication_required',
    ]);
  });

  it('fails with a wrong password, which may be tried ten times', async () => {
    const email = newAddress();
    const browser = await signedUp(site.server, email);
    await ageProof(email, 11);
    const wrong = { password: 'a wrong password' };
    for (let tries = 0; tries < 10; tries++) {
      expect(await refusal(await browser.post('/api/re-authentication/password', wrong))).toEqual([
        401,
        'wrong_credentials',
      ]);
    }
    const right = await browser.post('/api/re-authentication/password', { password: PASSWORD });
    expect(await refusal(right)).toEqual([429, 'rate_limit_exceeded']);
    expect(await refusal(await browser.post('/api/keys', { name: 'CI' }))).toEqual([
      403,
      'reauthentication_required',
    ]);
  });

  it('is possible with what the user has: here a password', async () => {
    const browser = await signedUp(site.server);
    const ways = proofWaysResponse.parse(await browser.json('/api/re-authentication'));
    expect(ways).toEqual({ ways: ['password'], identityProviders: [] });
    expect(await refusal(await browser.post('/api/re-authentication/code', { code: '123456' }))).toEqual([
      409,
      'conflict',
    ]);
    expect(await refusal(await new Browser(site.server).fetch('/api/re-authentication'))).toEqual([
      401,
      'signed_out',
    ]);
  });
});

describe('the sessions of a user', () => {
  it('are listed with browser, address, sign-in and times, the last used first', async () => {
    const email = newAddress();
    const browser = new Browser(site.server, { address: '192.0.2.7' });
    await browser.signUp(email);
    const phone = new Browser(site.server, { address: '2001:db8::7' });
    await phone.fetch('/api/auth/sign-in/email', {
      body: { email, password: PASSWORD },
      headers: { 'user-agent': 'Phone/1.0' },
    });
    const listed = await sessionsOf(browser);
    expect(listed).toMatchObject([
      { browser: 'Phone/1.0', address: expect.stringMatching(/^2001:0?db8/), isThis: false },
      { address: '192.0.2.7', way: 'password', isThis: true },
    ]);
    for (const { createdAtMs, usedAtMs } of listed) {
      expect(Math.abs(Date.now() - createdAtMs)).toBeLessThan(60_000);
      expect(usedAtMs).toBeGreaterThan(Date.now() - 60_000);
    }
  });

  it('end one by one: the next request of an ended one is 401', async () => {
    const email = newAddress();
    const browser = await signedUp(site.server, email);
    const other = new Browser(site.server);
    await other.signIn(email);
    const ended = (await sessionsOf(browser)).find(({ isThis }) => !isThis);
    expect((await browser.post(`/api/security/sessions/${ended?.id}/end`)).status).toBe(204);
    expect(await refusal(await other.fetch('/api/keys'))).toEqual([401, 'signed_out']);
    expect(await sessionsOf(browser)).toMatchObject([{ isThis: true }]);
    expect(await refusal(await browser.post(`/api/security/sessions/${ended?.id}/end`))).toEqual([
      404,
      'not_found',
    ]);
  });

  it('end all but this one', async () => {
    const email = newAddress();
    const browser = await signedUp(site.server, email);
    const others = [new Browser(site.server), new Browser(site.server)];
    for (const other of others) await other.signIn(email);
    expect(await browser.json('/api/security/sessions/end-others', { method: 'POST', body: {} })).toEqual({
      ended: 2,
    });
    for (const other of others) expect((await other.fetch('/api/keys')).status).toBe(401);
    expect((await browser.fetch('/api/keys')).status).toBe(200);
  });

  it('of somebody else cannot be ended, as if they did not exist', async () => {
    const victim = await signedUp(site.server);
    const [session] = await sessionsOf(victim);
    const stranger = await signedUp(site.server);
    expect(await refusal(await stranger.post(`/api/security/sessions/${session?.id}/end`))).toEqual([
      404,
      'not_found',
    ]);
    const { user } = sessionResponse.parse(await victim.json('/api/session'));
    expect(user).not.toBeNull();
  });

  it('say when they were last used, to a few minutes', async () => {
    const email = newAddress();
    const browser = await signedUp(site.server, email);
    await using sql = openSql(site.gateway.databaseUrl);
    await sql.run(
      `UPDATE dashboard_sessions SET used_at = now() - interval '1 hour'
       WHERE user_id = (SELECT id FROM dashboard_users WHERE email = $1)`,
      email,
    );
    await browser.fetch('/api/keys');
    await expect
      .poll(async () => (await sessionsOf(browser))[0]?.usedAtMs)
      .toBeGreaterThan(Date.now() - 60_000);
  });
});
