import { GrpcStatus } from '@model-gateway/contracts';
import { expect } from 'vitest';
import { expectRefusal, insertAccount, refusalOf } from '../fixtures/administration-fixture.ts';
import { it as base, type ControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { holderOf, messageOf } from '../fixtures/holder-fixture.ts';
import { poolsOf, settle } from '../fixtures/pools-fixture.ts';

/** Creates a team with two members and the owner, each with a seat, and a pool per seat and team. */
async function createTeam(control: ControlPlanes) {
  const pools = poolsOf(control);
  const owner = holderOf(control, 'acct_test');
  const another = async (name: string) => holderOf(control, await insertAccount(control, name));
  const [one, two, stranger] = [await another('one'), await another('two'), await another('stranger')];
  const team = await owner.createTeam('Research');
  const seatOf = async (member: typeof one, email: string) =>
    await member.accept({ token: (await owner.offer(team.id, email)).token });
  const seats = {
    owner: await owner.takeSeat(team.id),
    one: await seatOf(one, 'one@example.com'),
    two: await seatOf(two, 'two@example.com'),
  };
  const teamPool = await pools.add({ kind: 'team', id: team.id }, { name: 'team' });
  const seatPools = {
    one: await pools.add({ kind: 'seat', id: seats.one.id }, { name: 'one' }),
    two: await pools.add({ kind: 'seat', id: seats.two.id }, { name: 'two' }),
  };
  return {
    ...{ control, owner, one, two, stranger, team, seats, teamPool, seatPools },
    /** State that a refused attempt must not change. */
    state: () =>
      control.sql`
        SELECT (SELECT json_agg(t ORDER BY id) FROM teams t) AS teams, (SELECT json_agg(s ORDER BY id) FROM seats s) AS seats,
           (SELECT json_agg(p ORDER BY id) FROM pools p) AS pools, (SELECT count(*) FROM ledger_entries) AS entries,
           (SELECT json_agg(k ORDER BY id) FROM api_keys k) AS keys,
           (SELECT json_agg(i ORDER BY id) FROM seat_invitations i) AS invitations`,
  };
}

const it = base.extend<{ setup: Awaited<ReturnType<typeof createTeam>> }>({
  setup: async ({ control }, use) => use(await createTeam(control)),
});

const refusals = (attempts: Promise<unknown>[]) => Promise.all(attempts.map(refusalOf));

it("a team shows its owner every active seat with this month's use, and all its money", async ({ setup }) => {
  const { control, owner, one, team, seats, teamPool, seatPools } = setup;
  await one.createKey('laptop', seats.one.id);
  const revoked = await one.createKey('old', seats.one.id);
  await one.revokeKey(revoked.key?.id ?? '');
  const ofSeat = { accountId: one.accountId, seatId: seats.one.id, teamId: team.id };
  const lastYear = new Date(Date.now() - 366 * 86_400_000).toISOString();
  await settle(control, [
    { requestId: 'req_1', cost: 1_500, owner: ofSeat },
    { requestId: 'req_2', cost: 500, owner: ofSeat },
    { requestId: 'req_own', cost: 0, owner: { accountId: one.accountId } },
    { requestId: 'req_old', cost: 7, owner: ofSeat, endedAt: lastYear },
  ]);
  const [seen] = await owner.teams();
  expect(seen).toMatchObject({ team: { ...team, requestsPerMinute: 600 }, role: 'owner' });
  expect(seen?.seats).toMatchObject([
    { seat: seats.owner, requestsThisMonth: '0', costThisMonth: '0', activeKeys: 0, isOwn: true },
    { seat: seats.one, requestsThisMonth: '2', costThisMonth: '2000', activeKeys: 1, isOwn: false },
    { seat: { accountEmail: 'two@example.com' }, requestsThisMonth: '0', activeKeys: 0, isOwn: false },
  ]);
  expect(seen?.pools.map(({ id }) => id).sort()).toEqual(
    [teamPool.id, seatPools.one.id, seatPools.two.id].sort(),
  );
});

it('a team shows a member its own seat and the pools it may spend, and nothing of the others', async ({
  setup,
}) => {
  const { owner, one, two, stranger, seats, teamPool, seatPools } = setup;
  const [seen, ...more] = await one.teams();
  expect(more).toEqual([]);
  expect(seen).toMatchObject({ role: 'member', seats: [{ seat: { id: seats.one.id }, isOwn: true }] });
  expect(seen?.pools.map(({ id }) => id)).toEqual([seatPools.one.id, teamPool.id]);
  const text = JSON.stringify(seen);
  for (const hidden of ['two@example.com', 'test@example.com', seats.two.id, seats.owner.id, two.accountId])
    expect(text).not.toContain(hidden);
  expect(await stranger.teams()).toEqual([]);
  await owner.removeSeat(seats.one.id);
  expect(await one.teams()).toEqual([]);
});

it("the list of teams includes the account's own pools, and shows them to nobody else", async ({ setup }) => {
  const { control, owner, one, stranger } = setup;
  const own = await poolsOf(control).add({ kind: 'account', id: owner.accountId }, { name: 'own' });
  expect(await owner.accountPools()).toEqual([own]);
  for (const other of [one, stranger]) expect(await other.accountPools()).toEqual([]);
});

it("a team shows its owner the balance of a removed seat's pool until it is moved", async ({ setup }) => {
  const { owner, team, seats, seatPools } = setup;
  await owner.removeSeat(seats.one.id);
  const ids = async () => (await owner.teams())[0]?.pools.map(({ id }) => id);
  expect(await ids()).toContain(seatPools.one.id);
  await owner.moveMoney(seatPools.one.id, { kind: 'team', id: team.id }, '5.00');
  expect(await ids()).not.toContain(seatPools.one.id);
});

it("an owner sets the team's limit, up to the default", async ({ setup: { owner, team } }) => {
  expect(await owner.setTeamLimit(team.id, 5)).toMatchObject({ team: { requestsPerMinute: 5 } });
  expect(await owner.setTeamLimit(team.id, 600)).toMatchObject({ team: { requestsPerMinute: 600 } });
  for (const limit of [0, 601]) {
    await expectRefusal(owner.setTeamLimit(team.id, limit), GrpcStatus.INVALID_ARGUMENT);
    expect(await messageOf(owner.setTeamLimit(team.id, limit))).toContain('an operator can set more');
  }
  await expectRefusal(owner.createTeam(' '), GrpcStatus.INVALID_ARGUMENT);
});

it('an owner invites addresses, not ids, and no active member twice', async ({ setup }) => {
  const { owner, stranger, team } = setup;
  for (const email of ['ONE@example.com', ' Test@Example.com '])
    await expectRefusal(owner.invite(team.id, email), GrpcStatus.ALREADY_EXISTS);
  for (const email of [stranger.accountId, '', 'two@e\u212aample.com'])
    await expectRefusal(owner.invite(team.id, email), GrpcStatus.INVALID_ARGUMENT);
});

it('an owner removes a seat with its keys, and can repeat it', async ({ setup: { owner, one, seats } }) => {
  const { key } = await one.createKey('laptop', seats.one.id);
  const removal = await owner.removeSeat(seats.one.id);
  expect(removal).toMatchObject({ revokedKeyIds: [key?.id], unconfirmedInstances: [] });
  expect(await owner.removeSeat(seats.one.id)).toEqual(removal);
});

it("a stranger gets the same error for another's team as for a missing one", async ({ setup }) => {
  const { owner, stranger, team, seats, teamPool, seatPools, state } = setup;
  const { invitation } = await owner.offer(team.id, 'stranger@example.com');
  const before = await state();
  const own = { kind: 'account', id: stranger.accountId };
  const attempts: [id: string, act: (id: string) => Promise<unknown>][] = [
    [team.id, (id) => stranger.setTeamLimit(id, 1)],
    [team.id, (id) => stranger.invite(id, 'stranger@example.com')],
    [invitation.id, stranger.withdraw],
    [invitation.id, (id) => stranger.accept({ invitationId: id })],
    [seats.one.id, stranger.removeSeat],
    [teamPool.id, (id) => stranger.moveMoney(id, own, '1')],
    [seatPools.one.id, (id) => stranger.moveMoney(id, own, '1')],
    [seats.one.id, stranger.createPlaygroundKey],
    [seats.one.id, (id) => stranger.createKey('x', id)],
  ];
  for (const [id, act] of attempts) {
    await expectRefusal(act(id), GrpcStatus.NOT_FOUND);
    expect((await messageOf(act(id))).replaceAll(id, 'x')).toBe(await messageOf(act('x')));
  }
  expect(await state()).toEqual(before);
});

it("a member sees of another's team only what it may, and cannot act as the owner", async ({ setup }) => {
  const { owner, one, team, seats, teamPool, seatPools, state } = setup;
  const { invitation } = await owner.offer(team.id, 'another@example.com');
  const before = await state();
  const own = { kind: 'account', id: one.accountId };
  const denied = [
    one.setTeamLimit(team.id, 1),
    one.invite(team.id, 'stranger@example.com'),
    one.removeSeat(seats.one.id),
    one.moveMoney(teamPool.id, own, '1'),
    one.moveMoney(seatPools.one.id, own, '1'),
  ];
  expect(await refusals(denied)).toEqual(denied.map(() => GrpcStatus.PERMISSION_DENIED));
  expect(JSON.stringify(await one.teams())).not.toContain('another@example.com');
  const unknown = [
    one.withdraw(invitation.id),
    one.accept({ invitationId: invitation.id }),
    one.removeSeat(seats.two.id),
    one.moveMoney(seatPools.two.id, own, '1'),
    one.createKey('x', seats.two.id),
    one.createPlaygroundKey(seats.two.id),
  ];
  expect(await refusals(unknown)).toEqual(unknown.map(() => GrpcStatus.NOT_FOUND));
  expect(await state()).toEqual(before);
});

it('a former member no longer sees the team', async ({ setup: { owner, one, team, seats, teamPool } }) => {
  await owner.removeSeat(seats.one.id);
  const attempts = [
    one.setTeamLimit(team.id, 1),
    one.invite(team.id, 'one@example.com'),
    one.moveMoney(teamPool.id, { kind: 'account', id: one.accountId }, '1'),
  ];
  expect(await refusals(attempts)).toEqual(attempts.map(() => GrpcStatus.NOT_FOUND));
});
