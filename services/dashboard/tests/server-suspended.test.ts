import { openSql } from '@model-gateway/test-kit/open-sql';
import { startGateway, type TestGateway } from '@model-gateway/test-kit/start-gateway';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keysResponse } from '../wire/keys.ts';
import { sessionResponse } from '../wire/session.ts';
import {
  Browser,
  createKey,
  createTeam,
  giveSeat,
  newAddress,
  PASSWORD,
  refusal,
  type Server,
  signedUp,
  startServer,
  startServerOf,
} from './server-fixture.ts';

let gateway: TestGateway;
let servers: [Server, Server];
beforeAll(async () => {
  gateway = await startGateway({ dataPlanes: 0 });
  const start = () => startServerOf(gateway);
  servers = [await start(), await start()];
});
afterAll(async () => {
  for (const server of servers ?? []) await server.close();
  await gateway?.close();
});

const DEADLINE_MS = 10_000;
const suspend = (account: string) =>
  gateway.admin.call(DEADLINE_MS, 'accounts', 'suspendAccount', { account });
const resume = (account: string) => gateway.admin.call(DEADLINE_MS, 'accounts', 'resumeAccount', { account });

async function userOf(browser: Browser) {
  return sessionResponse.parse(await browser.json('/api/session')).user;
}

async function sessionsOf(email: string): Promise<number> {
  await using sql = openSql(gateway.databaseUrl);
  const rows = await sql.rows(
    'SELECT s.id FROM dashboard_sessions s JOIN dashboard_users u ON u.id = s.user_id WHERE u.email = $1',
    email,
  );
  return rows.length;
}

describe('a suspended account', () => {
  it('is signed out at once on every server, and cannot sign in', async () => {
    const email = newAddress();
    const [first, second] = servers;
    const browser = await signedUp(first, email);
    const elsewhere = new Browser(second);
    expect((await elsewhere.signIn(email)).status).toBe(200);
    const { accountId } = (await userOf(browser)) ?? {};
    expect((await userOf(elsewhere))?.accountId).toBe(accountId);

    await suspend(email);
    expect(await refusal(await browser.fetch('/api/keys'))).toEqual([401, 'signed_out']);
    expect(await userOf(elsewhere)).toBeNull();
    for (const server of servers) {
      const again = new Browser(server);
      const response = await again.signIn(email);
      expect(response.headers.getSetCookie()).toEqual([]);
      const { error } = (await response.json()) as { error: { code: string; message: string } };
      expect({ status: response.status, code: error.code }).toEqual({
        status: 403,
        code: 'account_suspended',
      });
      expect(error.message).toMatch(/suspended.*Ask the operator/);
      expect(await userOf(again)).toBeNull();
    }
    expect(await sessionsOf(email)).toBe(0);
    // Without the password, the response does not reveal the suspension.
    const wrong = await new Browser(first).signIn(email, 'not the password');
    expect(await refusal(wrong)).toEqual([401, 'wrong_credentials']);

    await resume(email);
    expect((await elsewhere.signIn(email)).status).toBe(200);
    expect((await userOf(elsewhere))?.accountId).toBe(accountId);
  });

  it('lets its user change the password in a session that began without the control plane', async () => {
    const email = newAddress();
    await signedUp(servers[0], email);
    await suspend(email);
    await using alone = await startServer({ databaseUrl: gateway.databaseUrl });
    const there = new Browser(alone);
    expect((await there.signIn(email)).status).toBe(200);
    const browser = new Browser(servers[1]);
    for (const [name, value] of there.cookies) browser.cookies.set(name, value);
    expect(await refusal(await browser.fetch('/api/keys'))).toEqual([403, 'account_suspended']);
    const newPassword = `${PASSWORD} again`;
    const passwords = { currentPassword: PASSWORD, newPassword };
    expect((await browser.post('/api/auth/change-password', passwords)).status).toBe(200);
    expect(await refusal(await browser.fetch('/api/keys'))).toEqual([403, 'account_suspended']);
    await resume(email);
    expect((await new Browser(servers[1]).signIn(email)).status).toBe(401);
    expect((await new Browser(servers[1]).signIn(email, newPassword)).status).toBe(200);
  });

  it('suspends the keys of the members of its teams, who cannot create others', async () => {
    const owner = await signedUp(servers[0]);
    const ownerAddress = (await userOf(owner))?.email ?? '';
    const memberAddress = newAddress();
    const member = await signedUp(servers[0], memberAddress);
    const { id: teamId } = await createTeam(owner, 'Crew');
    const seatId = await giveSeat(owner, teamId, { member, email: memberAddress });
    const { key } = await createKey(member, 'Work', seatId);
    await suspend(ownerAddress);
    const { keys } = keysResponse.parse(await member.json('/api/keys'));
    expect(keys).toMatchObject([{ id: key.id, isSuspended: true }]);
    expect(await refusal(await member.post('/api/keys', { name: 'Another', seatId }))).toEqual([
      409,
      'conflict',
    ]);
    await resume(ownerAddress);
    const after = keysResponse.parse(await member.json('/api/keys'));
    expect(after.keys[0]?.isSuspended).toBeUndefined();
    expect(after.keys).toMatchObject([{ id: key.id, revokedAtMs: null }]);
  });
});

describe('a deleted account', () => {
  it('loses its user, and its address can sign up again', async () => {
    const email = newAddress();
    const browser = await signedUp(servers[0], email);
    const { accountId } = (await userOf(browser)) ?? {};
    await gateway.admin.call(DEADLINE_MS, 'accounts', 'deleteAccount', { account: email });
    expect(await userOf(browser)).toBeNull();
    expect(await refusal(await new Browser(servers[1]).signIn(email))).toEqual([401, 'wrong_credentials']);
    const anew = await signedUp(servers[1], email);
    expect((await userOf(anew))?.accountId).not.toBe(accountId);
  });
});
