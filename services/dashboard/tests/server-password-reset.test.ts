import { createHash } from 'node:crypto';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { startGateway, type TestGateway } from '@model-gateway/test-kit/start-gateway';
import { until } from '@model-gateway/test-kit/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, newAddress, refusal, type Server, signedUp, startServer } from './server-fixture.ts';

let gateway: TestGateway;
let open: Server;
let closed: Server;
beforeAll(async () => {
  gateway = await startGateway({ dataPlanes: 0 });
  const options = {
    databaseUrl: gateway.databaseUrl,
    controlPlanePorts: gateway.controlPlanes.map(({ grpcPort }) => grpcPort),
  };
  open = await startServer(options);
  closed = await startServer({ ...options, settings: { SIGNUP: 'closed' } });
});
afterAll(async () => {
  await open?.close();
  await closed?.close();
  await gateway?.close();
});

async function resetToken(account: string): Promise<string> {
  const { token } = await gateway.admin.call(5_000, 'accounts', 'resetPassword', { account });
  return token;
}

function createAccount(email: string): Promise<{ id: string }> {
  return gateway.admin.call(5_000, 'accounts', 'createAccount', { email, name: 'Operator' });
}

const password = 'a password that is new';

describe('a password reset', () => {
  it('sets the password once, and ends all sessions', async () => {
    const email = newAddress();
    const browser = await signedUp(open, email);
    const token = await resetToken(email);
    const other = new Browser(open);
    const response = await other.post('/api/password-reset', { token, password });
    expect(response.status).toBe(204);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await refusal(await browser.fetch('/api/keys'))).toEqual([401, 'signed_out']);
    expect(await refusal(await other.signIn(email))).toEqual([401, 'wrong_credentials']);
    expect((await other.signIn(email, password)).status).toBe(200);
    expect(await other.json('/api/session')).toMatchObject({ user: { email } });
    const again = await new Browser(open).post('/api/password-reset', { token, password: 'yet another one' });
    expect(await refusal(again)).toEqual([404, 'not_found']);
    expect((await other.signIn(email, password)).status).toBe(200);
  });

  it('creates the user of an account that an operator has opened, and deletes another user of the address', async () => {
    const email = newAddress();
    const { id } = await createAccount(email);
    await using sql = openSql(gateway.databaseUrl);
    await sql.run(
      `INSERT INTO dashboard_users (id, name, email, updated_at) VALUES ('squatter', 'Squatter', $1, now())`,
      email,
    );
    const browser = new Browser(closed);
    const token = await resetToken(email);
    expect((await browser.post('/api/password-reset', { token, password })).status).toBe(204);
    expect((await browser.signIn(email, password)).status).toBe(200);
    expect(await browser.json('/api/session')).toMatchObject({ user: { accountId: id, email } });
    expect(await sql.rows(`SELECT 1 FROM dashboard_users WHERE id = 'squatter'`)).toEqual([]);
  });

  it('clears the limits of a user after too many wrong passwords', async () => {
    const email = newAddress();
    await signedUp(open, email);
    const browser = new Browser(open);
    await Promise.all(Array.from({ length: 10 }, () => browser.signIn(email, 'wrong password')));
    expect(await refusal(await browser.signIn(email))).toEqual([429, 'rate_limit_exceeded']);
    // As after many attempts of other clients.
    await using sql = openSql(gateway.databaseUrl);
    await sql.run(
      'UPDATE dashboard_rate_limits SET count = 100 WHERE key = $1',
      `sign-in-at:${createHash('sha256').update(email).digest('base64url')}`,
    );
    expect(await refusal(await new Browser(open).signIn(email))).toEqual([429, 'rate_limit_exceeded']);
    const token = await resetToken(email);
    expect((await browser.post('/api/password-reset', { token, password })).status).toBe(204);
    for (const from of [browser, new Browser(open)]) {
      expect((await from.signIn(email, password)).status).toBe(200);
    }
  });

  it('is not used up by a password that is too short', async () => {
    const email = newAddress();
    await signedUp(open, email);
    const token = await resetToken(email);
    const short = await new Browser(open).post('/api/password-reset', { token, password: 'short' });
    expect(await refusal(short)).toEqual([400, 'invalid_request']);
    expect((await new Browser(open).post('/api/password-reset', { token, password })).status).toBe(204);
  });

  it('cannot be guessed, because a client has 10 attempts', async () => {
    const browser = new Browser(open);
    const statuses: number[] = [];
    for (let tried = 0; tried < 12; tried++) {
      statuses.push(
        (await browser.post('/api/password-reset', { token: `guess-${tried}`, password })).status,
      );
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 404), 429, 429]);
  });
});

it('a reset by a mailed link waits for another change of the user, and neither fails', async () => {
  const email = newAddress();
  await signedUp(open, email);
  await using sql = openSql(gateway.databaseUrl);
  await sql.run('UPDATE dashboard_users SET email_verified = true WHERE email = $1', email);
  const token = 'mailed-to-the-user';
  await sql.run(
    `INSERT INTO dashboard_verifications (id, identifier, value, expires_at, updated_at)
     SELECT $1, $2, id, now() + interval '1 hour', now() FROM dashboard_users WHERE email = $3`,
    token,
    `password-reset:${createHash('sha256').update(token).digest('base64url')}`,
    email,
  );
  const change = sql
    .run(`
      DO $$ DECLARE v_id text; BEGIN
        SELECT id INTO v_id FROM dashboard_users WHERE email = '${email}' FOR NO KEY UPDATE;
        PERFORM pg_sleep(1);
        UPDATE dashboard_credentials SET updated_at = now() WHERE user_id = v_id;
      END $$`)
    .then(() => 'changed');
  const sleeping = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
  await until(async () => (await sql.rows(sleeping)).length > 0);
  const browser = new Browser(open);
  expect((await browser.post('/api/password-reset', { token, password })).status).toBe(204);
  expect(await change).toBe('changed');
  expect((await browser.signIn(email, password)).status).toBe(200);
});

describe('a closed sign-up', () => {
  it('refuses new addresses and leaves nothing of them', async () => {
    const email = newAddress();
    expect(await refusal(await new Browser(closed).signUp(email))).toEqual([403, 'sign_up_closed']);
    await using sql = openSql(gateway.databaseUrl);
    expect(await sql.rows('SELECT 1 FROM dashboard_users WHERE email = $1', email)).toEqual([]);
    expect(await new Browser(closed).json('/api/session')).toMatchObject({ user: null, signUpOpen: false });
  });

  it('lets existing users sign in', async () => {
    const email = newAddress();
    await signedUp(open, email);
    const browser = new Browser(closed);
    expect((await browser.signIn(email)).status).toBe(200);
    expect((await browser.fetch('/api/keys')).status).toBe(200);
  });
});
