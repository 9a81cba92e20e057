import { randomBytes } from 'node:crypto';
import { GrpcStatus } from '@model-gateway/contracts';
import { until } from '@model-gateway/test-kit/until';
import { describe, expect, it } from 'vitest';
import { KeyPatchStore } from '../../src/owned-rules/key-patch-store.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { holderOf } from '../fixtures/holder-fixture.ts';
import { insertMember, signInWith } from '../fixtures/roles-fixture.ts';
import { connectProvider } from '../fixtures/scim-fixture.ts';

const COMPANY = 'company@example.com';
const TEAM = 'team_ofTheCompany';

const control = useControlPlanes({
  environment: {
    SSO_GROUPS: JSON.stringify([
      { group: 'Operators', installation: 'operator' },
      { group: 'Admins', account: COMPANY, role: 'admin' },
      { group: 'Seats', provider: 'own', team: TEAM },
    ]),
  },
});

const newEmail = () => `${randomBytes(8).toString('hex')}@example.com`;

/** Creates the company once. @returns its id */
async function company(): Promise<string> {
  const [found] = await control.sql`SELECT id FROM accounts WHERE email = ${COMPANY}`;
  if (found !== undefined) return String(found.id);
  const { id } = await control.admin('accounts', 'createAccount', { email: COMPANY, name: 'Company' });
  await control.sql`
    INSERT INTO teams (id, owner_account_id, name, requests_per_minute) VALUES (${TEAM}, ${id}, 'Team', 600)`;
  return id;
}

const openAccounts = (email: string, signInId: string) =>
  control.caller('dashboard', 'openAccounts', {
    ...{ signInId, email, name: 'Test', emailVerified: true, mayCreate: true },
  });

const setActive = (value: boolean) => ({ op: 'replace', path: 'active', value });

async function placesOf(email: string): Promise<string[]> {
  const rows = await control.sql`
    SELECT role AS place FROM account_members WHERE email = ${email}
    UNION ALL SELECT role FROM installation_roles WHERE email = ${email}
    UNION ALL SELECT s.team_id FROM seats s JOIN accounts a ON a.id = s.account_id
    WHERE a.email = ${email} AND s.removed_at IS NULL ORDER BY 1`;
  return rows.map(({ place }) => String(place));
}

async function isActive(keyId: string | undefined): Promise<boolean> {
  const [key] = await control.sql`SELECT revoked_at IS NULL AS active FROM api_keys WHERE id = ${keyId}`;
  return key?.active === true;
}

describe('the identity provider of one account', () => {
  it('does not let an owner sign in again whom that of the installation has deactivated', async () => {
    const email = newEmail();
    const entra = await connectProvider(control, { name: 'entra' });
    const id = await entra.createUser(email);
    const signInId = await signInWith(control, email);
    await openAccounts(email, signInId);
    await entra.patch(`/Users/${id}`, setActive(false));
    const own = await connectProvider(control, { name: 'own', account: email });
    const there = await own.createUser(email);
    await own.patch(`/Users/${there}`, setActive(false));
    await own.patch(`/Users/${there}`, setActive(true));
    await expect(openAccounts(email, signInId)).rejects.toMatchObject({
      code: GrpcStatus.PERMISSION_DENIED,
    });
    await entra.patch(`/Users/${id}`, setActive(true));
    expect((await openAccounts(email, signInId)).accounts).toHaveLength(1);
  });

  it('keeps the members and seats that it gives when that of the installation changes its groups', async () => {
    const email = newEmail();
    const own = await connectProvider(control, { name: 'own', account: await company() });
    const entra = await connectProvider(control, { name: 'entra' });
    const id = await entra.createUser(email);
    await own.createGroup(`Own ${email}`, [await own.createUser(email)]);
    await own.createGroup('Seats', [
      (await own.find('Users', `userName eq "${email}"`)).Resources[0]?.id ?? '',
    ]);
    expect(await placesOf(email)).toEqual(['developer', TEAM]);
    await entra.createGroup(`Entra ${email}`, [id]);
    expect(await placesOf(email)).toEqual(['developer', TEAM]);
  });
});

describe('a user of an identity provider', () => {
  it('keeps no role at an address that it has no more', async () => {
    await company();
    const entra = await connectProvider(control, { name: 'entra' });
    const [old, next] = [newEmail(), newEmail()];
    const id = await entra.createUser(old);
    await entra.createGroup('Operators', [id]);
    await entra.createGroup('Admins', [id]);
    expect(await placesOf(old)).toEqual(['admin', 'operator']);
    const [member] = await control.sql`SELECT id FROM account_members WHERE email = ${old}`;
    const { key } = await control.admin('accounts', 'createKey', { account: COMPANY, name: 'test' });
    await control.sql`UPDATE api_keys SET member_id = ${member?.id} WHERE id = ${key?.id}`;
    const emails = [{ value: next, primary: true }];
    await entra.patch(`/Users/${id}`, { op: 'replace', value: { userName: next, emails } });
    expect(await placesOf(old)).toEqual([]);
    expect(await placesOf(next)).toEqual(['admin', 'operator']);
    expect(await isActive(key?.id)).toBe(true);
    await entra.send('DELETE', `/Users/${id}`);
    expect(await placesOf(next)).toEqual([]);
  });

  it('does not share its account with a stranger who had signed up with its address', async () => {
    const email = newEmail();
    const stranger = await signInWith(control, email, false);
    const { accounts } = await control.caller('dashboard', 'openAccounts', {
      ...{ signInId: stranger, email, name: 'Stranger', emailVerified: false, mayCreate: true },
    });
    const accountId = accounts[0]?.account?.id ?? '';
    const { key } = await holderOf(control, accountId).createKey('early', undefined, stranger);
    const entra = await connectProvider(control, { name: 'entra' });
    await entra.createUser(email);
    expect(await isActive(key?.id)).toBe(false);
    await expect(holderOf(control, accountId).createKey('late', undefined, stranger)).rejects.toMatchObject({
      code: GrpcStatus.NOT_FOUND,
    });
    const person = await signInWith(control, email);
    expect((await openAccounts(email, person)).accounts[0]?.account?.id).toBe(accountId);
  });

  it('cannot sign in with its new address, nor act in another account, once it is deactivated', async () => {
    const account = await company();
    const entra = await connectProvider(control, { name: 'entra' });
    const [old, next] = [newEmail(), newEmail()];
    const id = await entra.createUser(old);
    const emails = [{ value: next, primary: true }];
    await entra.patch(`/Users/${id}`, { op: 'replace', value: { emails } });
    const signInId = await signInWith(control, next);
    await insertMember(control, account, { email: next, role: 'developer', signInId });
    const [opened] = (await openAccounts(next, signInId)).accounts;
    const { key } = await holderOf(control, opened?.account?.id ?? '').createKey('own', undefined, signInId);
    await entra.patch(`/Users/${id}`, setActive(false));
    expect(await isActive(key?.id)).toBe(false);
    await expect(holderOf(control, account).createKey('late', undefined, signInId)).rejects.toMatchObject({
      code: GrpcStatus.NOT_FOUND,
    });
    await expect(openAccounts(next, signInId)).rejects.toMatchObject({ code: GrpcStatus.PERMISSION_DENIED });
    await entra.patch(`/Users/${id}`, setActive(true));
    expect(await isActive(key?.id)).toBe(true);
    await entra.send('DELETE', `/Users/${id}`);
    expect(await isActive(key?.id)).toBe(false);
    await expect(openAccounts(next, signInId)).rejects.toMatchObject({ code: GrpcStatus.PERMISSION_DENIED });
  });

  it('does not take a role that a person gave to another address', async () => {
    const account = await company();
    const own = await connectProvider(control, { name: 'own', account });
    const [owner, stranger] = [newEmail(), newEmail()];
    await insertMember(control, account, { email: owner, role: 'owner' });
    const id = await own.createUser(owner);
    const emails = [{ value: stranger, primary: true }];
    expect(
      (await own.patch(`/Users/${id}`, { op: 'replace', value: { userName: stranger, emails } })).status,
    ).toBe(200);
    await own.createGroup(`Group ${owner}`, [id]);
    expect([await placesOf(owner), await placesOf(stranger)]).toEqual([['owner'], []]);
  });

  it('takes its membership and its seat to its new address', async () => {
    const own = await connectProvider(control, { name: 'own', account: await company() });
    const [old, next] = [newEmail(), newEmail()];
    for (const email of [old, next]) await control.admin('accounts', 'createAccount', { email, name: '' });
    const id = await own.createUser(old);
    const { Resources } = await own.find('Groups', 'displayName eq "Seats"');
    const seats = Resources[0]?.id ?? (await own.createGroup('Seats'));
    await own.patch(`/Groups/${seats}`, { op: 'add', path: 'members', value: [{ value: id }] });
    expect(await placesOf(old)).toEqual(['developer', TEAM]);
    const emails = [{ value: next, primary: true }];
    await own.patch(`/Users/${id}`, { op: 'replace', value: { userName: next, emails } });
    expect([await placesOf(old), await placesOf(next)]).toEqual([[], ['developer', TEAM]]);
  });

  it('stays the owner that somebody has made it, whatever its groups are', async () => {
    const account = await company();
    const entra = await connectProvider(control, { name: 'third' });
    const email = newEmail();
    const id = await entra.createUser(email);
    const group = await entra.createGroup('Admins', [id]);
    await control.admin('members', 'changeMemberRole', { account, member: email, role: 'owner' });
    await entra.patch(`/Groups/${group}`, { op: 'remove', path: 'members' });
    expect(await placesOf(email)).toEqual(['owner']);
  });

  it('has no key that it makes in another account while it is deactivated', async () => {
    const account = await company();
    const email = newEmail();
    const entra = await connectProvider(control, { name: 'entra' });
    const id = await entra.createUser(email);
    const signInId = await signInWith(control, email);
    await openAccounts(email, signInId);
    await insertMember(control, account, { email, role: 'developer', signInId });
    const waiting = async (count: number) =>
      await until(async () => {
        const rows = await control.sql`
        SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return rows.length >= count;
      });
    const { created, deactivated } = await control.prisma.$transaction(async (transaction) => {
      // Both wait for the audit log just before their commit.
      await transaction.$executeRaw`SELECT FROM audit_chains FOR UPDATE`;
      const making = holderOf(control, account).createKey('late', undefined, signInId);
      await waiting(1);
      const stopping = entra.patch(`/Users/${id}`, setActive(false));
      await waiting(2);
      return { created: { making }, deactivated: { stopping } };
    });
    const { key } = await created.making;
    expect((await deactivated.stopping).status).toBe(200);
    expect(await isActive(key?.id)).toBe(false);
  });

  it('keeps a disabled key stopped until it is both active and enabled', async () => {
    const email = newEmail();
    const entra = await connectProvider(control, { name: 'entra' });
    const id = await entra.createUser(email);
    const { key } = await control.admin('accounts', 'createKey', { account: email, name: 'test' });
    const keys = new KeyPatchStore(control.prisma);
    const disable = (disabled: boolean) =>
      keys.patch({ type: 'operator_token', way: 'cli', ip: '192.0.2.7' }, key?.id ?? '', { disabled });
    await disable(true);
    await entra.patch(`/Users/${id}`, setActive(false));
    await disable(false);
    expect(await isActive(key?.id)).toBe(false);
    await entra.patch(`/Users/${id}`, setActive(true));
    expect(await isActive(key?.id)).toBe(true);
    await disable(true);
    await entra.patch(`/Users/${id}`, setActive(false));
    await entra.patch(`/Users/${id}`, setActive(true));
    expect(await isActive(key?.id)).toBe(false);
  });

  it('that has not signed in since its account was made has no place elsewhere while it is deactivated', async () => {
    const account = await company();
    const email = newEmail();
    const signInId = await signInWith(control, email);
    await insertMember(control, account, { email, role: 'developer', signInId });
    const entra = await connectProvider(control, { name: 'entra' });
    const id = await entra.createUser(email);
    await entra.patch(`/Users/${id}`, setActive(false));
    await expect(holderOf(control, account).createKey('late', undefined, signInId)).rejects.toMatchObject({
      code: GrpcStatus.NOT_FOUND,
    });
  });
});

it('texts and times that the database cannot store are refused', async () => {
  const entra = await connectProvider(control, { name: 'entra' });
  const email = newEmail();
  const id = await entra.createUser(email);
  const answers = [
    await entra.send('POST', '/Users', { schemas: [], userName: newEmail(), displayName: 'a\0b' }),
    await entra.send('POST', '/Groups', { displayName: 'a\0b' }),
    await entra.send('POST', '/Groups', { displayName: newEmail(), members: [{ value: 'a\0b' }] }),
    await entra.patch(`/Users/${id}`, { op: 'replace', path: 'externalId', value: 'a\0b' }),
    await entra.send('GET', '/Users/a%00b'),
    await entra.send('DELETE', '/Groups/a%00b'),
    await entra.send(
      'GET',
      `/Users?filter=${encodeURIComponent('meta.created gt "-200000-01-01T00:00:00Z"')}`,
    ),
  ];
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 404, 404, 400]);
});
