import { createHash } from 'node:crypto';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { describe, expect, it } from 'vitest';
import { keysResponse } from '../wire/keys.ts';
import { inviteMemberResponse, membersResponse } from '../wire/members.ts';
import { sessionResponse } from '../wire/session.ts';
import { Browser, createKey, newAddress, refusal, signedUp, tokenOf, withServer } from './server-fixture.ts';

const site = withServer({ dataPlanes: 0 });

/** Signs somebody up whose address is verified. */
async function verified(email = newAddress()): Promise<Browser> {
  await signedUp(site.server, email);
  await using sql = openSql(site.gateway.databaseUrl);
  await sql.run('UPDATE dashboard_users SET email_verified = true WHERE email = $1', email);
  const browser = new Browser(site.server);
  await browser.signIn(email);
  return browser;
}

async function userOf(browser: Browser) {
  const { user } = sessionResponse.parse(await browser.json('/api/session'));
  if (user === null) throw new Error('nobody is signed in');
  return user;
}

async function inviteMember(admin: Browser, email: string, role: string) {
  return inviteMemberResponse.parse(await admin.json('/api/members', { body: { email, role } }));
}

/** Adds somebody to the account of `owner`, in which they work from then on. */
async function joined(owner: Browser, role: string): Promise<Browser> {
  const email = newAddress();
  const { member } = await inviteMember(owner, email, role);
  const browser = await verified(email);
  const accepted = await browser.post('/api/memberships/accept', { invitationId: member.id });
  expect(accepted.status).toBe(204);
  return browser;
}

const membersOf = async (browser: Browser) => membersResponse.parse(await browser.json('/api/members'));

describe('a member of an account', () => {
  it('is invited by mail address, accepts with the link, and works in the account', async () => {
    const owner = await verified();
    const account = await userOf(owner);
    const email = newAddress();
    const { link, member, isMailed } = await inviteMember(owner, email, 'developer');
    expect(member).toMatchObject({ email, role: 'developer', status: 'invited' });
    expect(isMailed).toBe(false);
    const browser = await verified(email);
    const before = await userOf(browser);
    expect(before).toMatchObject({
      role: 'owner',
      offered: [{ invitationId: member.id, role: 'developer' }],
    });
    const token = tokenOf(link);
    expect(await browser.json('/api/memberships/find', { body: { token } })).toMatchObject({ email });
    expect((await browser.post('/api/memberships/accept', { token })).status).toBe(204);
    expect(await userOf(browser)).toMatchObject({
      accountId: account.accountId,
      role: 'developer',
      email,
      offered: [],
      accounts: [
        { id: before.accountId, role: 'owner' },
        { id: account.accountId, role: 'developer' },
      ],
    });
    expect((await membersOf(owner)).members).toMatchObject([{ id: member.id, email, status: 'active' }]);
    await createKey(browser, 'Of the developer');
    const { keys } = keysResponse.parse(await owner.json('/api/keys'));
    expect(keys.map(({ name }) => name)).toEqual(['Of the developer']);
  });

  it('is offered the account only with a verified address, else needs the link, which works once', async () => {
    const owner = await verified();
    const email = newAddress();
    const { link } = await inviteMember(owner, email, 'viewer');
    const unproven = await signedUp(site.server, email);
    expect((await userOf(unproven)).offered).toEqual([]);
    const { members } = await membersOf(owner);
    const byId = await unproven.post('/api/memberships/accept', { invitationId: members[0]?.id });
    expect(await refusal(byId)).toEqual([404, 'not_found']);
    const token = tokenOf(link);
    expect((await unproven.post('/api/memberships/accept', { token })).status).toBe(204);
    const second = await (await verified()).post('/api/memberships/accept', { token });
    expect(await refusal(second)).toEqual([404, 'not_found']);
  });

  it('changes between the accounts, in this session only', async () => {
    const owner = await verified();
    const { accountId } = await userOf(owner);
    const browser = await joined(owner, 'viewer');
    const { accounts, email } = await userOf(browser);
    const own = accounts.find(({ role }) => role === 'owner')?.id;
    const other = new Browser(site.server);
    await other.signIn(email);
    expect((await userOf(other)).accountId).toBe(own);
    expect((await browser.post('/api/session/account', { accountId: own })).status).toBe(204);
    expect(await userOf(browser)).toMatchObject({ accountId: own, role: 'owner' });
    expect((await other.post('/api/session/account', { accountId })).status).toBe(204);
    expect(await userOf(other)).toMatchObject({ accountId, role: 'viewer' });
    const stranger = await verified();
    const refused = await stranger.post('/api/session/account', { accountId });
    expect(await refusal(refused)).toEqual([404, 'not_found']);
  });

  it('keeps the account through a new password and a new second factor', async () => {
    const owner = await verified();
    const { accountId } = await userOf(owner);
    const browser = await joined(owner, 'developer');
    const passwords = {
      currentPassword: 'correct horse battery staple',
      newPassword: 'another good password',
    };
    expect((await browser.post('/api/auth/change-password', passwords)).status).toBe(200);
    expect((await userOf(browser)).accountId).toBe(accountId);
  });

  it('does what the role allows, and nothing else', async () => {
    const owner = await verified();
    const viewer = await joined(owner, 'viewer');
    expect((await viewer.fetch('/api/keys')).status).toBe(200);
    for (const [path, body] of [
      ['/api/keys', { name: 'Mine' }],
      ['/api/teams', { name: 'Mine' }],
      ['/api/members', { email: newAddress(), role: 'viewer' }],
      ['/api/account/calendar', { timezone: 'UTC', weekStarts: 'monday' }],
      ['/api/account/mails', { thresholdMails: false }],
    ] as const) {
      expect([path, ...(await refusal(await viewer.post(path, body)))]).toEqual([
        path,
        403,
        'permission_denied',
      ]);
    }
    expect(await refusal(await viewer.fetch('/api/members'))).toEqual([403, 'permission_denied']);
  });

  it('does not use up the changes of the owner', async () => {
    const owner = await verified();
    const viewer = await joined(owner, 'viewer');
    const { accountId } = await userOf(owner);
    for (let tried = 0; tried < 3; tried++) await viewer.post('/api/teams', { name: 'Mine' });
    await using sql = openSql(site.gateway.databaseUrl);
    const key = `change:${createHash('sha256').update(accountId).digest('base64url')}`;
    // The invitation.
    expect(await sql.rows('SELECT count FROM dashboard_rate_limits WHERE key = $1', key)).toEqual([
      { count: 1 },
    ]);
  });

  it('gets another role, or is removed at once, by somebody who has proved who they are', async () => {
    const owner = await verified();
    const developer = await joined(owner, 'developer');
    const { email, accountId } = await userOf(developer);
    const { members } = await membersOf(owner);
    const memberId = members.find((member) => member.email === email)?.id;
    await createKey(developer, 'Of the developer');
    {
      await using sql = openSql(site.gateway.databaseUrl);
      const age = `UPDATE dashboard_sessions SET proved_at = now() - interval '1 hour' WHERE user_id =
        (SELECT id FROM dashboard_users WHERE email = $1)`;
      await sql.run(age, (await userOf(owner)).email);
    }
    for (const [path, body] of [
      ['/api/members', { email: newAddress(), role: 'viewer' }],
      [`/api/members/${memberId}/role`, { role: 'owner' }],
      [`/api/members/${memberId}/remove`, {}],
    ] as const) {
      expect(await refusal(await owner.post(path, body))).toEqual([403, 'reauthentication_required']);
    }
    const password = 'correct horse battery staple';
    expect((await owner.post('/api/re-authentication/password', { password })).status).toBe(204);
    expect((await owner.post(`/api/members/${memberId}/role`, { role: 'viewer' })).status).toBe(204);
    expect(await refusal(await developer.post('/api/keys', { name: 'Another' }))).toEqual([
      403,
      'permission_denied',
    ]);
    expect(await owner.json(`/api/members/${memberId}/remove`, { body: {} })).toMatchObject({
      revokedKeys: 1,
    });
    expect(await refusal(await developer.fetch('/api/keys'))).toEqual([404, 'not_found']);
    const again = new Browser(site.server);
    await again.signIn(email);
    expect((await userOf(again)).accounts.map(({ id }) => id)).not.toContain(accountId);
  });

  it('cannot join once the invitation is withdrawn', async () => {
    const owner = await verified();
    const email = newAddress();
    const { link, member } = await inviteMember(owner, email, 'admin');
    expect((await owner.post(`/api/members/${member.id}/remove`)).status).toBe(200);
    const browser = await verified(email);
    const accepted = await browser.post('/api/memberships/accept', { token: tokenOf(link) });
    expect(await refusal(accepted)).toEqual([404, 'not_found']);
  });
});
