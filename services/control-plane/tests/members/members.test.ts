import { randomUUID } from 'node:crypto';
import { GrpcStatus, type MemberMessage } from '@model-gateway/contracts';
import type { AccountRole } from '@model-gateway/shared/access';
import { until } from '@model-gateway/test-kit/until';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AdminKeyActor } from '../../src/actors/actor.ts';
import { MemberChangeStore } from '../../src/members/member-change-store.ts';
import { administer, expectRefusal } from '../fixtures/administration-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { holderOf, messageOf, signInsOf } from '../fixtures/holder-fixture.ts';
import {
  insertMember,
  objectsOf,
  type StaffedAccount,
  signInWith,
  staffedAccount,
} from '../fixtures/roles-fixture.ts';

const control = useControlPlanes();
let account: StaffedAccount;

beforeAll(async () => {
  account = await staffedAccount(control);
});

const newAddress = () => `${randomUUID()}@example.com`;

/** Calls of a sign-in about the members of an account. */
function membersBy(signInId: string, accountId = account.id) {
  const { change, read } = holderOf(control, accountId);
  return {
    list: async (): Promise<MemberMessage[]> =>
      (await read('listHolderMembers', { accountId }, signInId)).members,
    invite: (email: string, role: string) => change('inviteHolderMember', { email, role }, signInId),
    change: (memberId: string, role: string) =>
      change('changeHolderMemberRole', { memberId, role }, signInId),
    remove: (memberId: string) => change('removeHolderMember', { memberId }, signInId),
    find: (token: string) => read('findOfferedMembership', { token }, signInId),
    accept: (which: { token: string } | { invitationId: string } | object) =>
      change('acceptMembership', which, signInId),
  };
}

const openAccounts = (
  signInId: string,
  email: string,
  more: { emailVerified?: boolean; mayCreate?: boolean } = {},
) =>
  control.caller('dashboard', 'openAccounts', {
    ...{ signInId, email, name: '', emailVerified: true, mayCreate: true },
    ...more,
  });

const rolesIn = (opened: Awaited<ReturnType<typeof openAccounts>>) =>
  opened.accounts.map((each) => [each.account?.id, each.role]);

const eventsOf = (memberId: string) =>
  control.sql`
    SELECT action, actor->>'type' AS by, before->>'role' AS before, after->>'role' AS after FROM audit_events
    WHERE object_id = ${memberId} ORDER BY position`;

describe('an invitation', () => {
  it('makes whoever has its token a member once, and each step is in the audit log', async () => {
    const { admin, owner } = account.signIns;
    const email = newAddress();
    const { member, token } = await membersBy(admin).invite(email, 'developer');
    expect(member).toMatchObject({ email, role: 'developer', status: 'invited', source: 'invitation' });
    const signInId = await signInWith(control, email);
    const home = await openAccounts(signInId, email);
    expect(home.offered).toMatchObject([{ accountId: account.id, role: 'developer', email }]);
    const homeId = home.accounts[0]?.account?.id ?? '';
    const invited = membersBy(signInId, homeId);
    expect(await invited.find(token)).toMatchObject({ accountName: 'Account', role: 'developer' });
    expect(await invited.accept({ token })).toMatchObject({ account: { id: account.id }, role: 'developer' });
    await expectRefusal(invited.accept({ token }), GrpcStatus.NOT_FOUND);
    expect(rolesIn(await openAccounts(signInId, email))).toEqual([
      [homeId, 'owner'],
      [account.id, 'developer'],
    ]);
    const id = member?.id ?? '';
    await membersBy(admin).change(id, 'viewer');
    await membersBy(owner).remove(id);
    expect(await eventsOf(id)).toEqual([
      { action: 'member.invited', by: 'user', before: null, after: 'developer' },
      { action: 'member.joined', by: 'user', before: 'developer', after: 'developer' },
      { action: 'member.role_changed', by: 'user', before: 'developer', after: 'viewer' },
      { action: 'member.removed', by: 'user', before: 'viewer', after: null },
    ]);
    expect(rolesIn(await openAccounts(signInId, email))).toEqual([[homeId, 'owner']]);
  });

  it('that replaces an earlier one of the address shows which', async () => {
    const { owner } = account.signIns;
    const email = newAddress();
    const first = (await membersBy(owner).invite(email, 'developer')).member?.id;
    const second = (await membersBy(owner).invite(email, 'viewer')).member?.id ?? '';
    const [event] = await control.sql`SELECT before, after FROM audit_events WHERE object_id = ${second}`;
    expect(event).toMatchObject({ before: { id: first, role: 'developer' }, after: { role: 'viewer' } });
  });

  it('can be accepted without its token only by whoever has proven the address', async () => {
    const email = newAddress();
    const { member } = await membersBy(account.signIns.owner).invite(email, 'viewer');
    const invitationId = member?.id ?? '';
    const unproven = await signInWith(control, email, false);
    await expectRefusal(membersBy(unproven).accept({ invitationId }), GrpcStatus.NOT_FOUND);
    await expectRefusal(membersBy(await signInWith(control)).accept({ invitationId }), GrpcStatus.NOT_FOUND);
    await control.sql`UPDATE dashboard_users SET email_verified = true WHERE id = ${unproven}`;
    expect(await membersBy(unproven).accept({ invitationId })).toMatchObject({ role: 'viewer' });
    await expectRefusal(membersBy(unproven).accept({}), GrpcStatus.INVALID_ARGUMENT);
  });

  it('is replaced by a later one of the address, ends after 14 days, and can be withdrawn', async () => {
    const { owner } = account.signIns;
    const email = newAddress();
    const first = await membersBy(owner).invite(email, 'viewer');
    const second = await membersBy(owner).invite(email, 'admin');
    const signInId = await signInWith(control);
    await expectRefusal(membersBy(signInId).find(first.token), GrpcStatus.NOT_FOUND);
    expect(Number(second.member?.expiresAtMs) - Date.now()).toBeCloseTo(14 * 86_400_000, -6);
    await control.sql`UPDATE account_members SET expires_at = now() WHERE id = ${second.member?.id}`;
    await expectRefusal(membersBy(signInId).accept({ token: second.token }), GrpcStatus.NOT_FOUND);
    const third = await membersBy(owner).invite(email, 'viewer');
    await membersBy(owner).remove(third.member?.id ?? '');
    await expectRefusal(membersBy(signInId).accept({ token: third.token }), GrpcStatus.NOT_FOUND);
  });

  it('of an unproven address goes to whoever proves it later, without the keys that were made before', async () => {
    const email = newAddress();
    const { token } = await membersBy(account.signIns.owner).invite(email, 'admin');
    const early = await signInWith(control, `${randomUUID()}@example.org`, false);
    await membersBy(early).accept({ token });
    expect(await membersBy(early).list()).not.toHaveLength(0);
    const { key } = await holderOf(control, account.id).createKey('early', undefined, early);
    const proven = await signInWith(control, email);
    expect(rolesIn(await openAccounts(proven, email))).toContainEqual([account.id, 'admin']);
    await expectRefusal(membersBy(early).list(), GrpcStatus.NOT_FOUND);
    const [made] = await control.sql`
      SELECT revoked_at IS NOT NULL AS revoked FROM api_keys WHERE id = ${key?.id}`;
    expect(made).toEqual({ revoked: true });
  });

  it('lets a person in where nobody may sign up, once the address is proven', async () => {
    const email = newAddress();
    await membersBy(account.signIns.owner).invite(email, 'developer');
    const signInId = await signInWith(control, email);
    const closed = { mayCreate: false };
    const other = newAddress();
    await expectRefusal(
      openAccounts(await signInWith(control, other), other, closed),
      GrpcStatus.FAILED_PRECONDITION,
    );
    expect(rolesIn(await openAccounts(signInId, email, closed))).toEqual([[account.id, 'developer']]);
  });
});

describe('an operator', () => {
  it('adds, invites, changes, lists and removes members by address, with an event for each', async () => {
    const email = newAddress();
    const added = await control.admin('members', 'addMember', {
      account: account.email,
      email,
      role: 'admin',
    });
    expect(added).toMatchObject({ status: 'added', source: 'operator', accountId: account.id });
    const again = control.admin('members', 'addMember', { account: account.id, email, role: 'viewer' });
    await expectRefusal(again, GrpcStatus.ALREADY_EXISTS);
    const listed = await control.admin('members', 'listMembers', { account: account.id, limit: 1 });
    expect(listed).toMatchObject({ ownerEmail: account.email, members: [{ id: added.id }] });
    expect(listed.nextPageToken).toBeDefined();
    const signInId = await signInWith(control, email);
    const unproven = await openAccounts(signInId, email, { emailVerified: false });
    expect(rolesIn(unproven)).not.toContainEqual([account.id, 'admin']);
    expect(rolesIn(await openAccounts(signInId, email))).toContainEqual([account.id, 'admin']);
    const key = { account: account.id, member: email };
    expect(await control.admin('members', 'changeMemberRole', { ...key, role: 'owner' })).toMatchObject({
      ...{ role: 'owner', status: 'active' },
    });
    await control.admin('members', 'removeMember', key);
    await expectRefusal(control.admin('members', 'removeMember', key), GrpcStatus.NOT_FOUND);
    expect(await eventsOf(added.id)).toEqual([
      { action: 'member.added', by: 'operator_token', before: null, after: 'admin' },
      { action: 'member.joined', by: 'system', before: 'admin', after: 'admin' },
      { action: 'member.role_changed', by: 'operator_token', before: 'admin', after: 'owner' },
      { action: 'member.removed', by: 'operator_token', before: 'owner', after: null },
    ]);
  });

  it('is refused an unknown role, a wrong address, and the address that owns the account', async () => {
    const add = (email: string, role: string) =>
      control.admin('members', 'addMember', { account: account.id, email, role });
    await expectRefusal(add(newAddress(), 'root'), GrpcStatus.INVALID_ARGUMENT);
    await expectRefusal(add('nobody', 'viewer'), GrpcStatus.INVALID_ARGUMENT);
    expect(await messageOf(add(account.email, 'viewer'))).toContain('owns the account');
  });

  it('gives and takes roles in the installation, with an event for each change', async () => {
    const request = { email: ' Ada@Example.com ', role: 'auditor' };
    const email = 'ada@example.com';
    expect(await control.admin('members', 'grantRole', request)).toMatchObject({ email, source: 'operator' });
    await control.admin('members', 'grantRole', request);
    const { roles } = await control.admin('members', 'listRoles', {});
    expect(roles).toMatchObject([{ email, role: 'auditor' }]);
    const signInId = await signInWith(control, email);
    expect((await openAccounts(signInId, email)).installationRoles).toEqual(['auditor']);
    await control.admin('members', 'revokeRole', request);
    await expectRefusal(control.admin('members', 'revokeRole', request), GrpcStatus.NOT_FOUND);
    await expectRefusal(
      control.admin('members', 'grantRole', { email, role: 'root' }),
      GrpcStatus.INVALID_ARGUMENT,
    );
    expect((await eventsOf(`auditor:${email}`)).map(({ action }) => action)).toEqual([
      'role.granted',
      'role.revoked',
    ]);
  });
});

describe('a grant', () => {
  it('of an admin never includes the role of an owner, and cannot touch one', async () => {
    const { admin } = account.signIns;
    const by = membersBy(admin);
    const other = await insertMember(control, account.id, { role: 'owner' });
    const member = await insertMember(control, account.id, { role: 'viewer' });
    const denials = [
      () => by.invite(newAddress(), 'owner'),
      () => by.change(member, 'owner'),
      () => by.change(other, 'viewer'),
      () => by.remove(other),
    ];
    for (const denial of denials) {
      expect(await messageOf(denial())).toContain('cannot give, change or take away the role owner');
    }
    expect(await by.change(member, 'admin')).toMatchObject({ role: 'admin' });
  });

  it('by an admin key that is bound to the account is limited like that of an admin', async () => {
    const store = new MemberChangeStore(control.prisma);
    const bound: AdminKeyActor = {
      ...{ type: 'admin_key', way: 'api', id: 'adm_1', name: 'CI', accountId: account.id },
      ...{ scopes: ['accounts:write'], ip: '192.0.2.7', requestId: 'req_1' },
    };
    const add = (actor: AdminKeyActor, role: AccountRole) =>
      store.add(
        actor,
        {
          id: `mem_${randomUUID()}`,
          accountId: account.id,
          email: newAddress(),
          name: '',
          role,
          source: 'operator',
        },
        1,
      );
    await expect(add(bound, 'owner')).rejects.toMatchObject({ code: 'permission_denied' });
    expect(await add(bound, 'admin')).toMatchObject({ role: 'admin' });
    expect(await add({ ...bound, accountId: undefined }, 'owner')).toMatchObject({ role: 'owner' });
  });

  it('keeps the last owner of an account that no sign-in owns', async () => {
    const { id } = await control.admin('accounts', 'createAccount', { email: newAddress(), name: '' });
    const add = (role: string) =>
      control.admin('members', 'addMember', { account: id, email: newAddress(), role });
    const [first, second] = [await add('owner'), await add('owner')];
    const lower = (member: string) =>
      control.admin('members', 'changeMemberRole', { account: id, member, role: 'admin' });
    await lower(first.id);
    expect(await messageOf(lower(second.id))).toContain('is the last owner of the account');
    const remove = control.admin('members', 'removeMember', { account: id, member: second.id });
    await expectRefusal(remove, GrpcStatus.FAILED_PRECONDITION);
  });

  it('is limited to 200 open invitations of an account', async () => {
    const full = await staffedAccount(control);
    await control.sql`
      INSERT INTO account_members (id, account_id, email, role, source, token_hash, expires_at)
      SELECT 'mem_full_' || i, ${full.id}, i || '@example.com', 'viewer', 'invitation', 'hash' || i,
        now() + interval '1 day'
      FROM generate_series(1, 200) AS i`;
    const invite = (email: string) => membersBy(full.signIns.owner, full.id).invite(email, 'viewer');
    await expectRefusal(invite(newAddress()), GrpcStatus.FAILED_PRECONDITION);
    expect(await invite('7@example.com')).toMatchObject({ member: { email: '7@example.com' } });
  });
});

describe('a member who is removed or lowered', () => {
  it('is refused with the next call, and the keys that it made end', async () => {
    const staff = await staffedAccount(control);
    const { developer, owner } = staff.signIns;
    const holder = holderOf(control, staff.id);
    const { key, rawKey } = await holder.createKey('mine', undefined, developer);
    const playground = await holder.createPlaygroundKey(undefined, developer);
    const kept = await objectsOf(control, staff).key('admin');
    await membersBy(owner, staff.id).change(staff.memberIds.developer, 'viewer');
    expect(await messageOf(holder.createKey('more', undefined, developer))).toContain(
      'needs the role developer',
    );
    const [hidden] = await control.sql`
      SELECT revoked_at IS NOT NULL AS revoked FROM api_keys WHERE id = ${playground.keyId}`;
    expect(hidden).toEqual({ revoked: true });
    const removed = await membersBy(owner, staff.id).remove(staff.memberIds.developer);
    expect(removed).toMatchObject({ revokedKeyIds: [key?.id], unconfirmedInstances: [] });
    await expectRefusal(holder.createKey('again', undefined, developer), GrpcStatus.NOT_FOUND);
    const active = await control.sql`
      SELECT id FROM api_keys WHERE account_id = ${staff.id} AND revoked_at IS NULL`;
    expect(active).toEqual([{ id: kept }]);
    expect(rawKey).not.toBe(playground.rawKey);
    const events = await control.sql`
      SELECT object_id FROM audit_events WHERE account_id = ${staff.id} AND action = 'api_key.revoked'`;
    expect(events).toEqual([{ object_id: key?.id }]);
  });

  it('leaves no key that was being created at the same moment', async () => {
    for (let round = 0; round < 10; round++) {
      const staff = await staffedAccount(control);
      const holder = holderOf(control, staff.id);
      await Promise.allSettled([
        ...Array.from({ length: 4 }, () => holder.createKey('race', undefined, staff.signIns.developer)),
        membersBy(staff.signIns.owner, staff.id).remove(staff.memberIds.developer),
      ]);
      expect(await administer(control).listKeys(staff.id)).toSatisfy((keys: { revokedAtMs?: string }[]) =>
        keys.every(({ revokedAtMs }) => revokedAtMs !== undefined),
      );
    }
  });
});

it('an admin gets no admin key while it is removed', async () => {
  const staff = await staffedAccount(control);
  const { admin, owner } = staff.signIns;
  const waiting = (count: number) =>
    until(async () => {
      const rows = await control.sql`
        SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return rows.length >= count;
    });
  const calls = await control.prisma.$transaction(async (transaction) => {
    // The removal waits for the audit log just before its commit.
    await transaction.$executeRaw`SELECT FROM audit_chains FOR UPDATE`;
    const removal = membersBy(owner, staff.id).remove(staff.memberIds.admin);
    await waiting(1);
    const request = { name: 'late', scopes: ['keys:write'] };
    const creation = messageOf(holderOf(control, staff.id).change('createHolderAdminKey', request, admin));
    await waiting(2);
    return { removal, creation };
  });
  await calls.removal;
  expect(await calls.creation).toContain('lost its role');
});

it('an account that goes to whoever proves its address loses the members its former sign-in invited', async () => {
  const signIns = signInsOf(control);
  const email = newAddress();
  const impostor = await signIns.open({ signInId: 'user_impostor', email });
  const by = membersBy('user_impostor', impostor.id);
  const { token } = await by.invite(newAddress(), 'owner');
  const accomplice = await signInWith(control);
  await membersBy(accomplice).accept({ token });
  await by.invite(newAddress(), 'admin');
  const kept = await control.admin('members', 'addMember', {
    account: email,
    email: newAddress(),
    role: 'viewer',
  });
  await signIns.open({ signInId: 'user_real', email, emailVerified: true });
  const left = await control.sql`SELECT id FROM account_members WHERE account_id = ${impostor.id}`;
  expect(left).toEqual([{ id: kept.id }]);
  await expectRefusal(membersBy(accomplice, impostor.id).list(), GrpcStatus.NOT_FOUND);
});
