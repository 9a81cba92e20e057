import { createHash, randomBytes } from 'node:crypto';
import { dumpTables } from '@model-gateway/test-kit/dump-tables';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { until } from '@model-gateway/test-kit/until';
import { describe, expect, it } from 'vitest';
import { sessionResponse } from '../wire/session.ts';
import { addSeatResponse } from '../wire/teams.ts';
import {
  Browser,
  createKey,
  createTeam,
  newAddress,
  PASSWORD,
  PUBLIC_URL,
  refusal,
  signedUp,
  startServer,
  withServer,
} from './server-fixture.ts';

const site = withServer({ dataPlanes: 0 });

async function accountAddresses(): Promise<string[]> {
  const { accounts } = await site.gateway.admin.call(5_000, 'accounts', 'listAccounts', {});
  return accounts.map(({ email }) => email);
}

async function usersWith(email: string): Promise<number> {
  await using sql = openSql(site.gateway.databaseUrl);
  return (await sql.rows('SELECT id FROM dashboard_users WHERE email = $1', email)).length;
}

describe('signing up', () => {
  it('opens the account at once and signs in', async () => {
    const email = newAddress();
    const browser = await signedUp(site.server, email.toUpperCase());
    expect(await accountAddresses()).toContain(email);
    expect(await browser.json('/api/session')).toEqual({
      user: {
        accountId: expect.stringMatching(/^acct_/),
        role: 'owner',
        email,
        name: 'Test',
        emailVerified: false,
        accounts: [{ id: expect.stringMatching(/^acct_/), name: 'Test', email, role: 'owner' }],
        offered: [],
        installationRole: null,
        viewing: null,
      },
      signUpOpen: true,
      ssoOnly: false,
      addressNeedsProof: false,
      identityProviders: [],
      sendsMail: false,
      termsUrl: null,
      sellsCredit: false,
      creditUrl: null,
      hidesUpstreams: false,
      apiBaseUrl: 'http://127.0.0.1:8080/v1',
    });
  });

  it('has the same error for an address with a user and for one whose account an operator opened', async () => {
    const signedUpAddress = newAddress();
    await signedUp(site.server, signedUpAddress);
    const operators = newAddress();
    await site.gateway.admin.call(5_000, 'accounts', 'createAccount', { email: operators, name: 'Operator' });
    const responses = await Promise.all(
      [signedUpAddress, operators].map(async (email) => {
        const response = await new Browser(site.server).signUp(email);
        const { error } = (await response.json()) as { error: { request_id?: string } };
        delete error.request_id;
        return { status: response.status, cookies: response.headers.getSetCookie(), error };
      }),
    );
    expect(responses[0]).toMatchObject({ status: 409, cookies: [], error: { code: 'sign_up_refused' } });
    expect(responses[1]).toEqual(responses[0]);
    expect(await usersWith(operators)).toBe(0);
    expect(await refusal(await new Browser(site.server).signIn(operators))).toEqual([
      401,
      'wrong_credentials',
    ]);
  });

  it('names the field that is wrong', async () => {
    const response = await new Browser(site.server).signUp(newAddress(), 'too short');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: {
        code: 'invalid_request',
        param: 'password',
        message: 'Password must have at least 10 characters.',
      },
    });
  });
});

describe('sessions', () => {
  it('have a cookie that no script and no other site can use', async () => {
    const response = await new Browser(site.server).signUp(newAddress());
    const [cookie = ''] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^dashboard\.session_token=/);
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Lax/);
    expect(cookie).not.toMatch(/Secure/);
    expect(cookie).toMatch(/Max-Age=604800/);
  });

  it('end with the sign-out', async () => {
    const browser = await signedUp(site.server);
    const stolen = new Browser(site.server);
    for (const [name, value] of browser.cookies) stolen.cookies.set(name, value);
    expect((await browser.post('/api/auth/sign-out')).status).toBe(200);
    expect(await refusal(await stolen.fetch('/api/keys'))).toEqual([401, 'signed_out']);
    expect(await browser.json('/api/session')).toMatchObject({ user: null });
  });

  it('end with a new password, except the session that set it', async () => {
    const email = newAddress();
    const browser = await signedUp(site.server, email);
    const other = new Browser(site.server);
    expect((await other.signIn(email)).status).toBe(200);
    const newPassword = 'another good password';
    const wrong = await browser.post('/api/auth/change-password', { currentPassword: 'wrong', newPassword });
    expect(await refusal(wrong)).toEqual([400, 'invalid_request']);
    const changed = await browser.post('/api/auth/change-password', {
      currentPassword: PASSWORD,
      newPassword,
    });
    expect(changed.status).toBe(200);
    expect((await browser.fetch('/api/keys')).status).toBe(200);
    expect(await refusal(await other.fetch('/api/keys'))).toEqual([401, 'signed_out']);
    expect(await refusal(await other.signIn(email))).toEqual([401, 'wrong_credentials']);
    expect((await other.signIn(email, newPassword)).status).toBe(200);
  });

  it('end after 7 days without a visit, and go on for 7 more with each', async () => {
    const email = newAddress();
    const browser = await signedUp(site.server, email);
    await using sql = openSql(site.gateway.databaseUrl);
    const shift = (days: number) =>
      sql.run(
        `UPDATE dashboard_sessions SET expires_at = expires_at - $2 * interval '1 day', updated_at = updated_at - $2 * interval '1 day'
         WHERE user_id = (SELECT id FROM dashboard_users WHERE email = $1)`,
        email,
        days,
      );
    for (let visit = 0; visit < 3; visit++) {
      await shift(6);
      const response = await browser.fetch('/api/keys');
      expect(response.status).toBe(200);
      expect(response.headers.getSetCookie()[0]).toMatch(/Max-Age=604800/);
    }
    await shift(7);
    expect(await refusal(await browser.fetch('/api/keys'))).toEqual([401, 'signed_out']);
  });

  it('have their token in no response body', async () => {
    const email = newAddress();
    const browser = new Browser(site.server);
    const texts = [await (await browser.signUp(email)).text(), await (await browser.signIn(email)).text()];
    expect(texts).toEqual(['{}', '{"needsCode":false}']);
  });

  it('are deleted when they have expired, and so are verifications', async () => {
    await signedUp(site.server);
    await using sql = openSql(site.gateway.databaseUrl);
    for (const [id, hours] of [
      ['expired', -1],
      ['open', 1],
    ] as const) {
      await sql.run(
        `INSERT INTO dashboard_sessions (id, token, user_id, expires_at, updated_at)
         SELECT $1::text, $1::text, min(id), now() + $2::int * interval '1 hour', now() FROM dashboard_users`,
        id,
        hours,
      );
      await sql.run(
        `INSERT INTO dashboard_verifications (id, identifier, value, expires_at, updated_at)
         VALUES ($1::text, 'x', 'x', now() + $2::int * interval '1 hour', now())`,
        id,
        hours,
      );
    }
    await using _another = await startServer({ databaseUrl: site.gateway.databaseUrl });
    for (const table of ['dashboard_sessions', 'dashboard_verifications']) {
      const left = () => sql.rows(`SELECT id FROM ${table} WHERE id IN ('expired', 'open')`);
      await until(async () => (await left()).length === 1);
      expect(await left()).toEqual([{ id: 'open' }]);
    }
  });

  it('cannot be forged with a changed cookie', async () => {
    const browser = await signedUp(site.server);
    for (const [name, value] of browser.cookies) browser.cookies.set(name, `${value.slice(0, -4)}AAA%3D`);
    expect(await refusal(await browser.fetch('/api/keys'))).toEqual([401, 'signed_out']);
  });
});

describe('routes of the sign-in library', () => {
  it('are 404 and leave no row if the site does not use them', async () => {
    const browser = await signedUp(site.server);
    await using sql = openSql(site.gateway.databaseUrl);
    const before = await sql.rows('SELECT key FROM dashboard_rate_limits ORDER BY key');
    for (const path of [
      'update-user',
      'delete-user',
      'list-sessions',
      'link-social',
      'sign-in/social',
      'ok',
      'x',
    ]) {
      expect(await refusal(await browser.post(`/api/auth/${path}`)), path).toEqual([404, 'not_found']);
    }
    const callback = await browser.fetch('/api/auth/callback/oidc?code=1&state=2');
    expect(await refusal(callback)).toEqual([404, 'not_found']);
    expect(await sql.rows('SELECT key FROM dashboard_rate_limits ORDER BY key')).toEqual(before);
  });
});

describe('requests that change something', () => {
  const body = JSON.stringify({ name: 'stolen' });
  const json = { 'content-type': 'application/json' };

  it.each([
    ['a foreign origin', { ...json, origin: 'https://evil.example' }, 403, 'foreign_origin'],
    ['the origin of an opaque page', { ...json, origin: 'null' }, 403, 'foreign_origin'],
    [
      'an origin that begins like ours',
      { ...json, origin: `${PUBLIC_URL}.evil.example` },
      403,
      'foreign_origin',
    ],
    ['no origin', json, 403, 'foreign_origin'],
    ['a form', { 'content-type': 'text/plain', origin: PUBLIC_URL }, 415, 'unsupported_media_type'],
  ])('are refused with %s', async (_what, headers, status, code) => {
    const browser = await signedUp(site.server);
    for (const path of [
      '/api/keys',
      '/api/auth/sign-in/email',
      '/api/auth/sign-out',
      '/api/password-reset',
    ]) {
      const response = await fetch(`${site.server.url}${path}`, {
        method: 'POST',
        headers: { ...headers, cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; ') },
        body,
      });
      expect(await refusal(response), path).toEqual([status, code]);
    }
    expect((await browser.fetch('/api/session')).status).toBe(200);
    expect(await browser.json('/api/keys')).toMatchObject({ keys: [] });
  });

  it('are refused when they are large', async () => {
    const response = await new Browser(site.server).post('/api/auth/sign-in/email', {
      email: 'a'.repeat(20_000),
    });
    expect(await refusal(response)).toEqual([413, 'request_too_large']);
  });
});

describe('throttling', () => {
  it('refuses a client after 10 wrong passwords of a user, but no other client', async () => {
    const email = newAddress();
    await signedUp(site.server, email);
    // A client usually has a whole /64 of IPv6 addresses.
    const stranger = () =>
      new Browser(site.server, { address: `2001:db8:5:6::${randomBytes(2).toString('hex')}` });
    const statuses = await Promise.all(
      Array.from({ length: 16 }, async () => (await stranger().signIn(email, 'wrong password')).status),
    );
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(6);
    const right = await stranger().signIn(email);
    expect(await refusal(right)).toEqual([429, 'rate_limit_exceeded']);
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(800);
    expect((await new Browser(site.server).signIn(email)).status).toBe(200);
    // A correct password of another client does not clear the stranger's attempts.
    expect((await stranger().signIn(email, 'wrong password')).status).toBe(429);
  });

  it('allows 100 attempts at one user by all clients together', async () => {
    const email = newAddress();
    await signedUp(site.server, email);
    const tryIt = (password = 'wrong password') => new Browser(site.server).signIn(email, password);
    expect((await tryIt()).status).toBe(401);
    await using sql = openSql(site.gateway.databaseUrl);
    const [row] = await sql.rows(
      `UPDATE dashboard_rate_limits SET count = 97 WHERE key = $1 RETURNING 1`,
      `sign-in-at:${createHash('sha256').update(email).digest('base64url')}`,
    );
    expect(row).toBeDefined();
    const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await tryIt()).status));
    expect(statuses.toSorted()).toEqual([401, 401, 401, 429, 429]);
    expect(await refusal(await tryIt(PASSWORD))).toEqual([429, 'rate_limit_exceeded']);
  });

  it('admits a browser that the user has used before, after strangers have used up the attempts', async () => {
    const [email, other] = [newAddress(), newAddress()];
    const browser = await signedUp(site.server, email);
    expect((await browser.signIn(email)).status).toBe(200);
    await signedUp(site.server, other);
    await using sql = openSql(site.gateway.databaseUrl);
    for (const user of [email, other]) {
      await new Browser(site.server).signIn(user, 'wrong password');
      await sql.run(
        'UPDATE dashboard_rate_limits SET count = 100 WHERE key = $1',
        `sign-in-at:${createHash('sha256').update(user).digest('base64url')}`,
      );
    }
    expect((await new Browser(site.server).signIn(email)).status).toBe(429);
    expect((await browser.signIn(email)).status).toBe(200);
    // The mark counts for one user, and for ten attempts.
    expect((await browser.signIn(other)).status).toBe(429);
    const wrong = await Promise.all(
      Array.from({ length: 12 }, async () => (await browser.signIn(email, 'wrong password')).status),
    );
    expect(wrong.toSorted()).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
    const forged = new Browser(site.server);
    forged.cookies.set('dashboard.known_browser', `${'a'.repeat(22)}.${'b'.repeat(43)}`);
    expect((await forged.signIn(email)).status).toBe(429);
  });

  it('allows 20 attempts of one client address at all users together', async () => {
    const address = '198.51.100.7';
    const tries = Array.from({ length: 26 }, async () => {
      const browser = new Browser(site.server, { address });
      return (await browser.signIn(newAddress(), 'wrong password')).status;
    });
    const statuses = await Promise.all(tries);
    expect(statuses.filter((status) => status === 401)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(6);
    expect((await new Browser(site.server).signIn(newAddress())).status).toBe(401);
  });

  it('does not count the attempts of a refused client for users, nor store rows for them', async () => {
    const email = newAddress();
    await signedUp(site.server, email);
    const address = '198.51.100.8';
    const tryOn = (whom: string) => new Browser(site.server, { address }).signIn(whom, 'wrong password');
    await Promise.all(Array.from({ length: 100 }, () => tryOn(newAddress())));
    await using sql = openSql(site.gateway.databaseUrl);
    const rows = () => sql.rows("SELECT 1 FROM dashboard_rate_limits WHERE key LIKE 'sign-in:%'");
    const before = await rows();
    for (let tried = 0; tried < 12; tried++) {
      expect(await refusal(await tryOn(email))).toEqual([429, 'rate_limit_exceeded']);
    }
    expect(await rows()).toEqual(before);
    expect((await new Browser(site.server).signIn(email)).status).toBe(200);
  });

  it('allows an account 300 changes in 15 minutes by all sessions, and unlimited reads', async () => {
    const email = newAddress();
    const browser = await signedUp(site.server, email);
    const another = new Browser(site.server);
    await another.signIn(email);
    const { key } = await createKey(browser, 'Leaked');
    const { id } = await createTeam(browser, 'Team');
    const own = await browser.json(`/api/teams/${id}/seats`, { body: { email } });
    const { seatId } = addSeatResponse.parse(own);
    await browser.json('/api/keys', { body: { name: 'Leaked on a seat', seatId } });
    // As after most of the 300 changes.
    await using sql = openSql(site.gateway.databaseUrl);
    const { user } = sessionResponse.parse(await browser.json('/api/session'));
    const [row] = await sql.rows(
      'UPDATE dashboard_rate_limits SET count = 285 WHERE key = $1 AND count = 4 RETURNING 1',
      `change:${createHash('sha256')
        .update(user?.accountId ?? '')
        .digest('base64url')}`,
    );
    expect(row).toBeDefined();
    const statuses: number[] = [];
    for (let round = 0; round < 3; round++) {
      const seat = () =>
        (round % 2 === 0 ? browser : another).post('/api/teams/team_none/seats', { email: newAddress() });
      statuses.push(...(await Promise.all(Array.from({ length: 10 }, async () => (await seat()).status))));
    }
    expect(statuses.filter((status) => status === 404)).toHaveLength(15);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
    expect((await browser.fetch('/api/keys')).status).toBe(200);
    expect((await (await signedUp(site.server)).post('/api/keys', { name: 'Other' })).status).toBe(201);
    // A leaked key can always be revoked.
    expect(await browser.json(`/api/keys/${key.id}/revoke`, { body: {} })).toMatchObject({ keyId: key.id });
    expect(await browser.json(`/api/seats/${seatId}/remove`, { body: {} })).toMatchObject({ revokedKeys: 1 });
  });

  it('clears wrong passwords after a correct one', async () => {
    const email = newAddress();
    await signedUp(site.server, email);
    // All from one client, because each client has its own limit.
    const address = '198.51.100.9';
    const tryIt = async (password = 'wrong password') =>
      (await new Browser(site.server, { address }).signIn(email, password)).status;
    await Promise.all(Array.from({ length: 8 }, () => tryIt()));
    expect(await tryIt(PASSWORD)).toBe(200);
    expect(await Promise.all(Array.from({ length: 4 }, () => tryIt()))).toEqual([401, 401, 401, 401]);
  });

  it('stores no address that somebody typed', async () => {
    const email = newAddress();
    await new Browser(site.server).signIn(email, 'wrong password');
    expect(await dumpTables(site.gateway.databaseUrl)).not.toContain(email);
    expect(site.server.logText()).not.toContain(email);
  });
});
