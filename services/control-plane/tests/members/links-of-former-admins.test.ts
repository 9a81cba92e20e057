import { GrpcStatus } from '@model-gateway/contracts';
import { expect, it } from 'vitest';
import { expectRefusal } from '../fixtures/administration-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { holderOf } from '../fixtures/holder-fixture.ts';
import { objectsOf, type StaffedAccount, staffedAccount } from '../fixtures/roles-fixture.ts';
import { connectProvider } from '../fixtures/scim-fixture.ts';

const control = useControlPlanes({
  environment: {
    SSO_GROUPS: JSON.stringify([{ group: 'Readers', role: 'viewer' }]),
  },
});

/** Invites an address to the account and another one to its team. @returns the tokens of the links */
async function invite(account: StaffedAccount, teamId: string, signInId: string) {
  const holder = holderOf(control, account.id);
  const email = (name: string) => `${name}-${signInId}@example.com`;
  const member = await holder.change(
    'inviteHolderMember',
    { email: email('member'), role: 'developer' },
    signInId,
  );
  const { invitation } = await holder.invite(teamId, email('seat'), signInId);
  return { membership: member.token, seat: String(invitation?.token) };
}

/** Accepts both links as somebody whom nobody has invited. */
function acceptedBy(homeId: string, { membership, seat }: { membership: string; seat: string }) {
  const { accept, change } = holderOf(control, homeId);
  return [() => change('acceptMembership', { token: membership }), () => accept({ token: seat })];
}

const emailOf = async (memberId: string) => {
  const [row] = await control.sql`SELECT email FROM account_members WHERE id = ${memberId}`;
  return String(row?.email);
};

/** Provisions the admin with the account's identity provider. */
async function provisioned({ id, memberIds }: StaffedAccount) {
  const own = await connectProvider(control, { account: id });
  return { own, userId: await own.createUser(await emailOf(memberIds.admin)) };
}

it.each<[string, (account: StaffedAccount) => Promise<unknown>]>([
  [
    'an owner has removed',
    ({ id, memberIds, signIns }) =>
      holderOf(control, id).change('removeHolderMember', { memberId: memberIds.admin }, signIns.owner),
  ],
  [
    'an operator has made a developer',
    ({ id, memberIds }) =>
      control.admin('members', 'changeMemberRole', {
        ...{ account: id, member: memberIds.admin, role: 'developer' },
      }),
  ],
  [
    'SCIM has deactivated',
    async (account) => {
      const { own, userId } = await provisioned(account);
      await own.patch(`/Users/${userId}`, { op: 'replace', path: 'active', value: false });
    },
  ],
  [
    'SCIM has deleted',
    async (account) => {
      const { own, userId } = await provisioned(account);
      await own.send('DELETE', `/Users/${userId}`);
    },
  ],
  [
    'the identity provider of the installation has deactivated',
    async ({ memberIds }) => {
      const entra = await connectProvider(control, { name: 'entra' });
      await entra.createUser(await emailOf(memberIds.admin), { active: false });
    },
  ],
  [
    'groups have made a developer',
    async (account) => {
      const { own, userId } = await provisioned(account);
      await control.sql`UPDATE account_members SET source = 'scim' WHERE id = ${account.memberIds.admin}`;
      await own.createGroup('Readers', [userId]);
    },
  ],
])('invitation links of an admin whom %s no longer work; those of others do', async (_way, remove) => {
  const account = await staffedAccount(control);
  const teamId = await objectsOf(control, account).team();
  const theirs = await invite(account, teamId, account.signIns.admin);
  const others = await invite(account, teamId, account.signIns.owner);
  const home = await staffedAccount(control);
  await remove(account);
  for (const accept of acceptedBy(home.id, theirs)) await expectRefusal(accept(), GrpcStatus.NOT_FOUND);
  const withdrawn = await control.sql`
    SELECT action FROM audit_events WHERE account_id = ${account.id} AND after IS NULL
      AND object_name IN (${`member-${account.signIns.admin}@example.com`}, ${`seat-${account.signIns.admin}@example.com`})
    ORDER BY action`;
  expect(withdrawn).toEqual([{ action: 'invite.deleted' }, { action: 'member.removed' }]);
  for (const accept of acceptedBy(home.id, others)) await accept();
});

it('the links of an admin who becomes an owner still work', async () => {
  const account = await staffedAccount(control);
  const theirs = await invite(account, await objectsOf(control, account).team(), account.signIns.admin);
  const change = { account: account.id, member: account.memberIds.admin, role: 'owner' };
  await control.admin('members', 'changeMemberRole', change);
  const home = await staffedAccount(control);
  for (const accept of acceptedBy(home.id, theirs)) await accept();
});
