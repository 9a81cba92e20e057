import { randomBytes } from 'node:crypto';
import { GrpcStatus } from '@model-gateway/contracts';
import { until } from '@model-gateway/test-kit/until';
import { describe, expect, it } from 'vitest';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { objectsOf } from '../fixtures/roles-fixture.ts';
import { connectProvider, eventsOf, userBody } from '../fixtures/scim-fixture.ts';

const control = useControlPlanes();

const newEmail = () => `${randomBytes(8).toString('hex')}@example.com`;

async function accountOf(email: string): Promise<string> {
  const [row] = await control.sql`SELECT id FROM accounts WHERE email = ${email}`;
  return String(row?.id);
}

async function newKey(account: string, memberId?: string): Promise<string> {
  const { key } = await control.admin('accounts', 'createKey', { account, name: 'test' });
  if (memberId !== undefined)
    await control.sql`UPDATE api_keys SET member_id = ${memberId} WHERE id = ${key?.id}`;
  return String(key?.id);
}

/** Returns `active`, or what stopped or ended a key. */
async function stateOf(keyId: string): Promise<string> {
  const [key] = await control.sql`
    SELECT revoked_at IS NULL AS active, suspended_at IS NOT NULL AS suspended, stopped_by
    FROM api_keys WHERE id = ${keyId}`;
  if (key?.active) return `active${key.stopped_by === null ? '' : ', marked'}`;
  return key?.suspended ? `suspended by ${key.stopped_by ?? 'account'}` : 'revoked';
}

async function signIn(email: string, signInId: string) {
  return await control.caller('dashboard', 'openAccounts', {
    signInId,
    email,
    name: 'Test',
    emailVerified: true,
    mayCreate: true,
  });
}

async function addSession(userId: string, email: string) {
  await control.sql`
    INSERT INTO dashboard_users (id, name, email, email_verified, created_at, updated_at)
    VALUES (${userId}, 'Test', ${email}, true, now(), now()) ON CONFLICT DO NOTHING`;
  await control.sql`
    INSERT INTO dashboard_sessions (id, token, user_id, expires_at, created_at, updated_at)
    VALUES (${newEmail()}, ${newEmail()}, ${userId}, now() + interval '1 day', now(), now())`;
}

async function sessionsOf(userId: string): Promise<number> {
  return (await control.sql`SELECT FROM dashboard_sessions WHERE user_id = ${userId}`).length;
}

describe('a user of an identity provider', () => {
  it('gets an account of its address, or the one that there is', async () => {
    const okta = await connectProvider(control);
    const [known, unknown] = [newEmail(), newEmail()];
    const { id } = await control.admin('accounts', 'createAccount', { email: known, name: 'Known' });
    expect((await okta.find('Users', `userName eq "${known}"`)).totalResults).toBe(0);
    await okta.createUser(known);
    const created = await okta.createUser(unknown);
    expect(await accountOf(known)).toBe(id);
    const accountId = await accountOf(unknown);
    expect(await eventsOf(control, accountId)).toMatchObject([
      { action: 'account.created', way: 'scim', actor: { type: 'scim', id: okta.tokenId, ip: '127.0.0.1' } },
    ]);
    expect(await eventsOf(control, created)).toMatchObject([
      { action: 'scim.user_created', before: null, after: { account_id: accountId, active: true } },
    ]);
  });

  it('that is deactivated has no key, session or sign-in, and gets back what that stopped', async () => {
    const okta = await connectProvider(control);
    const email = newEmail();
    const id = await okta.createUser(email);
    const account = await accountOf(email);
    const signInId = `sign-in-${randomBytes(6).toString('hex')}`;
    await addSession(signInId, email);
    await signIn(email, signInId);
    const [kept, revokedBefore, revokedMeanwhile] = [
      await newKey(account),
      await newKey(account),
      await newKey(account),
    ];
    await control.revokeKey(revokedBefore);
    await okta.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' });
    expect(await stateOf(kept)).toBe('suspended by scim');
    expect(await sessionsOf(signInId)).toBe(0);
    await expect(signIn(email, signInId)).rejects.toMatchObject({
      code: GrpcStatus.PERMISSION_DENIED,
    });
    await control.revokeKey(revokedMeanwhile);
    await okta.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' });
    await okta.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'True' });
    expect(await Promise.all([kept, revokedBefore, revokedMeanwhile].map((key) => stateOf(key)))).toEqual([
      'active',
      'revoked',
      'revoked',
    ]);
    expect((await signIn(email, signInId)).accounts).toHaveLength(1);
    expect(await eventsOf(control, id)).toMatchObject([
      { action: 'scim.user_created' },
      {
        action: 'scim.user_deactivated',
        before: { active: true },
        after: { active: false, stopped_key_ids: [kept, revokedMeanwhile] },
      },
      { action: 'scim.user_reactivated', after: { active: true, restored_key_ids: [kept] } },
    ]);
  });

  it('that comes or stays inactive has its keys stopped, and the audit log names them', async () => {
    const okta = await connectProvider(control);
    const email = newEmail();
    const { id: account } = await control.admin('accounts', 'createAccount', { email, name: 'Known' });
    const first = await newKey(account);
    const id = await okta.createUser(email, { active: false });
    const second = await objectsOf(control, { id: account }).key();
    await okta.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
    await okta.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
    expect(await Promise.all([stateOf(first), stateOf(second)])).toEqual([
      'suspended by scim',
      'suspended by scim',
    ]);
    const events = await eventsOf(control, id);
    expect(events).toMatchObject([
      { action: 'scim.user_created', after: { stopped_key_ids: [first] } },
      { action: 'scim.user_deactivated', after: { stopped_key_ids: [second] } },
    ]);
    expect(events).toHaveLength(2);
  });

  it('is stopped by its provider and by an operator independently', async () => {
    const okta = await connectProvider(control);
    const setActive = (id: string, value: boolean) =>
      okta.patch(`/Users/${id}`, { op: 'replace', path: 'active', value });
    const email = newEmail();
    const id = await okta.createUser(email);
    const account = await accountOf(email);
    const key = await newKey(account);
    await control.admin('accounts', 'suspendAccount', { account });
    await setActive(id, false);
    await control.admin('accounts', 'resumeAccount', { account });
    expect(await stateOf(key)).toBe('suspended by scim');
    await control.admin('accounts', 'suspendAccount', { account });
    await setActive(id, true);
    expect(await stateOf(key)).toBe('suspended by account');
    await control.admin('accounts', 'resumeAccount', { account });
    expect(await stateOf(key)).toBe('active');
  });

  it('that is deleted loses its keys for good and cannot sign in; its account and its money stay', async () => {
    const okta = await connectProvider(control);
    const email = newEmail();
    const id = await okta.createUser(email);
    const account = await accountOf(email);
    const pool = { owner: { kind: 'account', id: account }, includedUsd: '5', resets: 'never', name: 'Test' };
    await control.admin('pools', 'addPool', pool);
    const [active, stopped] = [await newKey(account), await newKey(account)];
    await okta.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
    expect((await okta.send('DELETE', `/Users/${id}`)).status).toBe(204);
    expect([await stateOf(active), await stateOf(stopped)]).toEqual(['revoked', 'revoked']);
    await expect(signIn(email, 'deleted')).rejects.toMatchObject({
      code: GrpcStatus.PERMISSION_DENIED,
    });
    const [left] =
      await control.sql`SELECT count(*)::int AS pools FROM pools WHERE owner = ${`account:${account}`}`;
    expect(left).toEqual({ pools: 1 });
    await okta.createUser(email);
    expect(await accountOf(email)).toBe(account);
    expect((await signIn(email, 'created-again')).accounts).toHaveLength(1);
    expect(await stateOf(active)).toBe('revoked');
  });

  it('that owns an account with other members loses only its own keys', async () => {
    const okta = await connectProvider(control);
    const email = newEmail();
    const id = await okta.createUser(email);
    const account = await accountOf(email);
    const other = newEmail();
    const { id: memberId } = await control.admin('members', 'addMember', {
      account,
      email: other,
      role: 'developer',
    });
    const [own, others] = [await newKey(account), await newKey(account, memberId)];
    await okta.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
    expect([await stateOf(own), await stateOf(others)]).toEqual(['suspended by scim', 'active']);
    const otherId = await okta.createUser(other);
    await okta.patch(`/Users/${otherId}`, { op: 'replace', path: 'active', value: false });
    expect(await stateOf(others)).toBe('suspended by scim');
    await okta.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true });
    expect([await stateOf(own), await stateOf(others)]).toEqual(['active', 'suspended by scim']);
  });
});

describe('a token for one account', () => {
  it('provisions its members, and stops only what they made there', async () => {
    const { id: account } = await control.admin('accounts', 'createAccount', {
      email: newEmail(),
      name: 'Company',
    });
    const okta = await connectProvider(control, { account, name: 'company' });
    const email = newEmail();
    const { id: ownAccount } = await control.admin('accounts', 'createAccount', { email, name: 'Own' });
    const id = await okta.createUser(email);
    const [member] =
      await control.sql`SELECT id, role, source FROM account_members WHERE account_id = ${account}`;
    expect(member).toMatchObject({ role: 'developer', source: 'scim' });
    const keys = [await newKey(account, String(member?.id)), await newKey(account), await newKey(ownAccount)];
    const states = () => Promise.all(keys.map((key) => stateOf(key)));
    await okta.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
    expect(await states()).toEqual(['suspended by scim', 'active', 'active']);
    const [stopped] = await control.sql`SELECT stopped_by FROM account_members WHERE id = ${member?.id}`;
    expect(stopped).toEqual({ stopped_by: 'scim' });
    expect((await signIn(email, `owner-${id}`)).accounts).toHaveLength(1);
    await okta.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true });
    expect(await states()).toEqual(['active', 'active', 'active']);
    await okta.send('DELETE', `/Users/${id}`);
    expect(await states()).toEqual(['revoked', 'active', 'active']);
    expect(await control.sql`SELECT FROM account_members WHERE account_id = ${account}`).toEqual([]);
    expect(await eventsOf(control, String(member?.id))).toMatchObject([
      { action: 'member.added' },
      { action: 'member.removed', way: 'scim' },
    ]);
  });

  it('sees neither users nor groups of other identity providers', async () => {
    const { id: account } = await control.admin('accounts', 'createAccount', {
      email: newEmail(),
      name: 'Company',
    });
    const okta = await connectProvider(control, { name: 'other' });
    const company = await connectProvider(control, { account, name: 'other' });
    const id = await okta.createUser(newEmail());
    const group = await okta.createGroup(newEmail(), [id]);
    for (const path of [`/Users/${id}`, `/Groups/${group}`]) {
      expect((await company.send('GET', path)).status).toBe(404);
      expect((await company.send('DELETE', path)).status).toBe(404);
      expect((await company.patch(path, { op: 'replace', path: 'externalId', value: 'x' })).status).toBe(404);
    }
    expect((await company.send('GET', '/Users')).body).toMatchObject({ totalResults: 0 });
    const add = { op: 'add', path: 'members', value: [{ value: id }] };
    const own = await company.createGroup(newEmail());
    expect((await company.patch(`/Groups/${own}`, add)).status).toBe(400);
  });
});

describe('tokens', () => {
  it('of one name see the same users, and a revoked one none', async () => {
    const name = newEmail();
    const first = await connectProvider(control, { name });
    const id = await first.createUser(newEmail());
    const second = await connectProvider(control, { name });
    expect((await second.send('GET', `/Users/${id}`)).status).toBe(200);
    await control.admin('scim', 'revokeScimToken', { tokenId: first.tokenId });
    const refused = await first.send('GET', `/Users/${id}`);
    expect(refused).toMatchObject({ status: 401, body: { status: '401' } });
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
    const { scimTokens } = await control.admin('scim', 'listScimTokens', {});
    expect(scimTokens.filter((token) => token.name === name)).toHaveLength(2);
    expect(await eventsOf(control, first.tokenId)).toMatchObject([
      { action: 'scim_token.created', way: 'cli' },
      { action: 'scim_token.revoked' },
    ]);
    expect(control.logText()).not.toContain(first.token);
    expect(JSON.stringify(await control.sql`SELECT * FROM scim_tokens`)).not.toContain(first.token);
  });

  it('of a suspended account do nothing', async () => {
    const { id: account } = await control.admin('accounts', 'createAccount', {
      email: newEmail(),
      name: 'Company',
    });
    const company = await connectProvider(control, { account });
    await control.admin('accounts', 'suspendAccount', { account });
    expect((await company.send('POST', '/Users', userBody(newEmail()))).status).toBe(401);
  });

  it('that are refused are in the audit log', async () => {
    const okta = await connectProvider(control);
    await okta.send('GET', '/Users/x', undefined, { authorization: 'Bearer gw_scim_wrong' });
    await until(async () => {
      const [event] =
        await control.sql`SELECT * FROM audit_events WHERE action = 'call.denied' AND way = 'scim'`;
      expect(event).toMatchObject({ object_id: 'GET /scim/v2/Users/:id', outcome: 'denied' });
      return true;
    });
  });

  it.each(['', 'Bearer gw_admin_x', 'Basic Z3dfc2NpbQ==', 'Bearer gw_live_x'])(
    'are needed: %j is refused',
    async (authorization) => {
      const okta = await connectProvider(control);
      for (const path of ['/Users', '/Groups/x', '/Schemas', '/ServiceProviderConfig']) {
        expect((await okta.send('GET', path, undefined, { authorization })).status).toBe(401);
      }
    },
  );
});
