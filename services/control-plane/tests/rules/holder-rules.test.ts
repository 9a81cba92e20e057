import { GrpcStatus } from '@model-gateway/contracts';
import { expect } from 'vitest';
import { administer, expectRefusal, insertAccount } from '../fixtures/administration-fixture.ts';
import { type ControlPlanes, it } from '../fixtures/control-planes-fixture.ts';
import { holderRulesOf, rulesOf, type TestOwner } from '../fixtures/rules-fixture.ts';

/** Returns one owner of each kind below the account `acct_test`. */
async function ownersOfHolder(control: ControlPlanes): Promise<TestOwner[]> {
  const admin = administer(control);
  const team = await admin.createTeam();
  const seat = await admin.addSeat(team.id, await insertAccount(control, 'member'));
  return [
    { kind: 'key', id: (await control.createKey()).id },
    { kind: 'end_users', id: 'acct_test' },
    { kind: 'end_user', id: 'acct_test', endUser: 'ada' },
    { kind: 'team', id: team.id },
    { kind: 'seat', id: seat.id },
  ];
}

it('a holder sets the rules of its keys, end users, teams and their seats', async ({ control }) => {
  const holder = holderRulesOf(control, 'acct_test');
  for (const owner of await ownersOfHolder(control)) {
    await holder.set(owner, { requests_per_minute: 2 });
    expect((await holder.get(owner)).requests_per_minute).toBe(2);
  }
});

it('a holder sees the rules of its account, and only the operator sets them', async ({ control }) => {
  const account = { kind: 'account', id: 'acct_test' };
  await rulesOf(control).set(account, { streams: 2 });
  const holder = holderRulesOf(control, 'acct_test');
  await expectRefusal(holder.set(account, {}), GrpcStatus.PERMISSION_DENIED);
  expect((await holder.get(account)).streams).toBe(2);
});

it('a holder neither sees nor sets rules of others', async ({ control }) => {
  const stranger = holderRulesOf(control, await insertAccount(control, 'stranger'));
  const account = ['acct_test', 'test@example.com'].map((id) => ({ kind: 'account', id }));
  for (const owner of [...account, ...(await ownersOfHolder(control))]) {
    await expectRefusal(stranger.get(owner), GrpcStatus.NOT_FOUND);
    await expectRefusal(stranger.set(owner, {}), GrpcStatus.NOT_FOUND);
  }
});

it('a member sees the rules of its own seat, and only the owner of the team sets them', async ({
  control,
}) => {
  const admin = administer(control);
  const member = await insertAccount(control, 'member');
  const team = await admin.createTeam();
  const seat = await admin.addSeat(team.id, member);
  await holderRulesOf(control, 'acct_test').set({ kind: 'seat', id: seat.id }, { streams: 1 });
  const holder = holderRulesOf(control, member);
  expect((await holder.get({ kind: 'seat', id: seat.id })).streams).toBe(1);
  await expectRefusal(holder.set({ kind: 'seat', id: seat.id }, {}), GrpcStatus.PERMISSION_DENIED);
  await expectRefusal(holder.set({ kind: 'team', id: team.id }, {}), GrpcStatus.PERMISSION_DENIED);
});
