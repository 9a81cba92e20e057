import { GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { until } from '@model-gateway/test-kit';
import { expect } from 'vitest';
import {
  administer,
  expectRefusal,
  insertAccount,
  openTransaction,
  refusalOf,
} from '../fixtures/administration-fixture.ts';
import { it as base, type ControlPlanes, startControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { holderOf, messageOf, signInsOf } from '../fixtures/holder-fixture.ts';
import { poolsOf } from '../fixtures/pools-fixture.ts';

const CFO = 'cfo@example.com';

/** Creates an owner with a team, and sign-ins with or without proven address. */
async function createOwner(control: ControlPlanes) {
  const signIns = signInsOf(control);
  const owner = holderOf(control, 'acct_test');
  const team = await owner.createTeam('Research');
  const signedIn = async (signInId: string, email: string, emailVerified: boolean) =>
    holderOf(control, (await signIns.open({ signInId, email, emailVerified })).id);
  return {
    ...{ control, owner, signedIn, signIns, team },
  };
}

const it = base.extend<{ setup: Awaited<ReturnType<typeof createOwner>> }>({
  setup: async ({ control }, use) => use(await createOwner(control)),
});

const WAITING = `
  SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

const outcomes = async (attempts: Promise<unknown>[]): Promise<unknown[]> =>
  (await Promise.allSettled(attempts)).map((each) =>
    each.status === 'fulfilled' ? GrpcStatus.OK : grpcStatus(each.reason),
  );

it('signing up with an invited address gives no seat and reveals no invitation', async ({ setup }) => {
  const { control, owner, signedIn, team } = setup;
  await poolsOf(control).add({ kind: 'team', id: team.id }, { name: 'team' });
  const { invitation } = await owner.offer(team.id, 'CFO@Example.com');
  const impostor = await signedIn('impostor', CFO, false);
  expect(await impostor.teams()).toEqual([]);
  expect(await impostor.offeredSeats()).toEqual([]);
  await expectRefusal(impostor.accept({ invitationId: invitation.id }), GrpcStatus.NOT_FOUND);
  expect(await messageOf(impostor.accept({ invitationId: invitation.id }))).toBe(
    (await messageOf(impostor.accept({ invitationId: 'x' }))).replace(
      'invitation x',
      `invitation ${invitation.id}`,
    ),
  );
  expect(await control.query('SELECT 1 FROM seats')).toEqual([]);
  const [seen] = await owner.teams();
  expect(seen).toMatchObject({ seats: [], invitations: [{ id: invitation.id, email: CFO }] });
});

it('an invitation is accepted once by the account that has proven the address', async ({ setup }) => {
  const { owner, signedIn, team } = setup;
  const { invitation } = await owner.offer(team.id, CFO);
  const days = (Number(invitation.expiresAtMs) - Number(invitation.createdAtMs)) / 86_400_000;
  expect(days).toBe(14);
  const cfo = await signedIn('cfo', CFO, true);
  expect(await cfo.offeredSeats()).toEqual([{ invitation, teamName: 'Research' }]);
  const seat = await cfo.accept({ invitationId: invitation.id });
  expect(seat).toMatchObject({ teamId: team.id, accountId: cfo.accountId, accountEmail: CFO });
  expect(await cfo.offeredSeats()).toEqual([]);
  expect(await cfo.teams()).toMatchObject([{ role: 'member', seats: [{ isOwn: true }], invitations: [] }]);
  expect((await owner.teams())[0]?.invitations).toEqual([]);
  await expectRefusal(cfo.accept({ invitationId: invitation.id }), GrpcStatus.NOT_FOUND);
});

it('an invitation is accepted by exactly its address, whatever the spelling', async ({ setup }) => {
  const { owner, signedIn, team } = setup;
  const { invitation } = await owner.offer(team.id, CFO);
  for (const variant of ['cfo+x@example.com', 'c.fo@example.com', 'cfo@example.com.evil.example']) {
    const other = await signedIn(variant, variant, true);
    expect(await other.offeredSeats(), variant).toEqual([]);
    expect(await refusalOf(other.accept({ invitationId: invitation.id })), variant).toBe(
      GrpcStatus.NOT_FOUND,
    );
  }
  const cfo = await signedIn('cfo', 'Cfo@EXAMPLE.com', true);
  expect(await cfo.accept({ invitationId: invitation.id })).toMatchObject({ accountEmail: CFO });
});

it('an invitation link is accepted once, however many try at the same time', async ({ pair: control }) => {
  const owner = holderOf(control, 'acct_test');
  const team = await owner.createTeam('Research');
  const { token } = await owner.offer(team.id, CFO);
  expect(token).toMatch(/^[\w-]{43}$/);
  const members: ReturnType<typeof holderOf>[] = [];
  for (let index = 0; index < 12; index++) {
    members.push(holderOf(control, await insertAccount(control, `member_${index}`), index % 2));
  }
  expect(await members[0]?.findOffer(token)).toMatchObject({
    teamName: 'Research',
    invitation: { email: CFO },
  });
  const results = await outcomes(members.map((member) => member.accept({ token })));
  expect(results.filter((status) => status === GrpcStatus.OK)).toHaveLength(1);
  expect(results.filter((status) => status === GrpcStatus.NOT_FOUND)).toHaveLength(11);
  expect(await control.query('SELECT 1 FROM seats')).toHaveLength(1);
  const left = JSON.stringify(await control.query('SELECT * FROM seat_invitations'));
  expect(left + control.logText()).not.toContain(token);
});

it('an invitation link stays open when a current member uses it', async ({ setup }) => {
  const { control, owner, team } = setup;
  await owner.takeSeat(team.id);
  const { token } = await owner.offer(team.id, CFO);
  await expectRefusal(owner.accept({ token }), GrpcStatus.ALREADY_EXISTS);
  const member = holderOf(control, await insertAccount(control, 'member'));
  expect(await member.accept({ token })).toMatchObject({ accountEmail: 'member@example.com' });
});

it('a withdrawn or expired invitation gives no seat, by address or link', async ({ setup }) => {
  const { control, owner, signedIn, team } = setup;
  const cfo = await signedIn('cfo', CFO, true);
  const end: ((id: string) => Promise<unknown>)[] = [
    owner.withdraw,
    () => control.query(`UPDATE seat_invitations SET expires_at = now() - interval '1 millisecond'`),
    // Another invitation of the address replaces it.
    () => owner.offer(team.id, CFO),
  ];
  for (const ended of end) {
    const { invitation, token } = await owner.offer(team.id, CFO);
    await ended(invitation.id);
    expect((await cfo.offeredSeats()).map((offered) => offered.invitation?.id)).not.toContain(invitation.id);
    const attempts = [
      cfo.accept({ token }),
      cfo.accept({ invitationId: invitation.id }),
      cfo.findOffer(token),
      owner.withdraw(invitation.id),
    ];
    expect(await outcomes(attempts)).toEqual(attempts.map(() => GrpcStatus.NOT_FOUND));
  }
  for (const which of [{ token: '' }, { token: 'x' }])
    await expectRefusal(cfo.accept(which), GrpcStatus.NOT_FOUND);
  await expectRefusal(cfo.accept({}), GrpcStatus.INVALID_ARGUMENT);
});

it('an invitation does not reveal to the owner who has an account', async ({ setup }) => {
  const { owner, signedIn, team } = setup;
  await signedIn('known', 'known@example.com', true);
  const answers = await Promise.all(
    ['known@example.com', 'unknown@example.com'].map((email) => owner.offer(team.id, email)),
  );
  const shapes = answers.map(({ invitation }) => Object.keys(invitation).sort());
  expect(shapes[0]).toEqual(shapes[1]);
});

it('a team has at most 200 open invitations', async ({ setup: { control, owner, team } }) => {
  await control.sql`INSERT INTO seat_invitations (id, team_id, email, token_hash, expires_at)
     SELECT 'inv_' || n, ${team.id}, n || '@example.com', n::text, now() + interval '1 day' FROM generate_series(1, 200) n`;
  await expectRefusal(owner.invite(team.id, CFO), GrpcStatus.FAILED_PRECONDITION);
  // An open invitation is replaced.
  expect(await owner.offer(team.id, '7@example.com')).toMatchObject({
    invitation: { email: '7@example.com' },
  });
});

it('proving an address takes its account from an unproven sign-in, and revokes the keys of that sign-in', async ({
  setup,
}) => {
  const { control, owner, signedIn, signIns, team } = setup;
  const impostor = await signedIn('impostor', CFO, false);
  await control.sql`
    INSERT INTO dashboard_users (id, name, email, updated_at) VALUES ('impostor', 'x', ${CFO}, now())`;
  const { token } = await owner.offer(team.id, CFO);
  const { id: seatId } = await impostor.accept({ token });
  const own = await impostor.createTeam('Friends');
  const friend = holderOf(control, await insertAccount(control, 'friend'));
  const friendSeat = await friend.accept({
    token: (await impostor.offer(own.id, 'friend@example.com')).token,
  });
  const open = await impostor.offer(own.id, 'second-friend@example.com');
  await impostor.createKey('personal');
  await impostor.createKey('on the seat', seatId);
  await impostor.createPlaygroundKey();
  await friend.createKey("on the friend's seat", friendSeat.id);
  await friend.createKey('of the friend');

  const cfo = await signedIn('cfo', CFO, true);
  expect(cfo.accountId).toBe(impostor.accountId);
  const active = await control.query('SELECT name FROM api_keys WHERE revoked_at IS NULL');
  expect(active).toEqual([{ name: 'of the friend' }]);
  expect(await control.query(`SELECT 1 FROM dashboard_users WHERE id = 'impostor'`)).toEqual([]);
  await expectRefusal(friend.accept({ token: open.token }), GrpcStatus.NOT_FOUND);
  expect(await friend.teams()).toEqual([]);
  // The address keeps its own teams and the seat offered to it.
  expect((await cfo.teams()).map((each) => each.team?.id).sort()).toEqual([own.id, team.id].sort());
  await expectRefusal(signIns.open({ signInId: 'impostor', email: CFO }), GrpcStatus.ALREADY_EXISTS);
  await expectRefusal(
    signIns.open({ signInId: 'second', email: CFO, emailVerified: true }),
    GrpcStatus.ALREADY_EXISTS,
  );
});

it('a sign-in that proves its own address keeps everything it made before', async ({ setup }) => {
  const { signedIn } = setup;
  const before = await signedIn('ada', 'ada@example.com', false);
  await before.createKey('laptop');
  const after = await signedIn('ada', 'ada@example.com', true);
  expect(after.accountId).toBe(before.accountId);
  expect(await after.keys()).toMatchObject([{ key: { name: 'laptop' } }]);
  expect((await after.keys())[0]?.key).not.toHaveProperty('revokedAtMs');
});

it('a concurrent request of the losing sign-in leaves no key that nobody revokes', async ({ setup }) => {
  const { control, signedIn } = setup;
  const impostor = await signedIn('impostor', CFO, false);
  const made: unknown[] = [];
  const flood = Array.from({ length: 20 }, async () => {
    made.push(await impostor.createKey('kept', undefined, 'impostor').catch(() => undefined));
    made.push(await impostor.createPlaygroundKey(undefined, 'impostor').catch(() => undefined));
  });
  const cfo = await signedIn('cfo', CFO, true);
  await Promise.all(flood);
  expect(await control.query('SELECT name FROM api_keys WHERE revoked_at IS NULL')).toEqual([]);
  await expectRefusal(impostor.createKey('late', undefined, 'impostor'), GrpcStatus.NOT_FOUND);
  await expectRefusal(impostor.createPlaygroundKey(undefined, 'impostor'), GrpcStatus.NOT_FOUND);
  expect(await cfo.createKey('own', undefined, 'cfo')).toMatchObject({ key: { name: 'own' } });
});

it('a sign-in that loses its account leaves no invitation behind, even by a concurrent request', async ({
  setup,
}) => {
  const { control, signedIn } = setup;
  const impostor = await signedIn('impostor', CFO, false);
  const own = await impostor.createTeam('Friends');
  await impostor.createKey('revoked in the end');
  // The account is taken and its invitations are gone; only its keys remain to be revoked.
  await using revisions = await openTransaction(control);
  await revisions.query(`SELECT FROM revisions WHERE name = 'keys' FOR UPDATE`);
  const cfo = signedIn('cfo', CFO, true);
  const waiting = (count: number) => until(async () => (await control.query(WAITING)).length === count);
  await waiting(1);
  const late = outcomes([impostor.invite(own.id, 'friend@example.com', 'impostor')]);
  await Promise.race([late, waiting(2)]);
  await revisions.query('COMMIT');
  const { accountId } = await cfo;
  expect(accountId).toBe(impostor.accountId);
  expect(await late).toEqual([GrpcStatus.FAILED_PRECONDITION]);
  expect(await control.query('SELECT 1 FROM seat_invitations')).toEqual([]);
  expect(await (await cfo).invite(own.id, 'colleague@example.com', 'cfo')).toMatchObject({ seat: null });
});

it('a deleted team offers no seat, even by a concurrent invitation', async ({ setup }) => {
  const { control, owner, team } = setup;
  await using deletion = await openTransaction(control);
  await deletion.query('UPDATE teams SET deleted_at = now() WHERE id = $1', [team.id]);
  const late = outcomes([owner.invite(team.id, CFO)]);
  await until(async () => (await control.query(WAITING)).length === 1);
  await deletion.query('COMMIT');
  expect(await late).toEqual([GrpcStatus.FAILED_PRECONDITION]);
  expect(await control.query('SELECT 1 FROM seat_invitations')).toEqual([]);
});

it.for([true, false])(
  "a password reset ends the account's invitations, and its seats unless its address is proven (%s)",
  async (isProven, { setup: { control, signedIn, signIns } }) => {
    const holder = await signedIn('holder', CFO, isProven);
    const own = await holder.createTeam('Friends');
    const friend = holderOf(control, await insertAccount(control, 'friend'));
    const { token } = await holder.offer(own.id, 'friend@example.com');
    const seat = await friend.accept({ token });
    const { key } = await friend.createKey('on the seat', seat.id);
    await friend.createKey('of the friend');
    const open = await holder.offer(own.id, 'second-friend@example.com');
    // Without revoking keys, everything stays.
    await signIns.redeem((await signIns.resetPassword(CFO, false)).token, 'holder');
    expect(await friend.findOffer(open.token)).toMatchObject({ teamName: 'Friends' });
    await control.sql`
      UPDATE accounts SET email_verified_at = ${isProven ? new Date() : null} WHERE email = ${CFO}`;

    const reset = await signIns.resetPassword(CFO);
    await expectRefusal(friend.accept({ token: open.token }), GrpcStatus.NOT_FOUND);
    expect(reset.revokedKeyIds).toEqual(isProven ? [] : [key?.id]);
    expect(await friend.teams()).toHaveLength(isProven ? 1 : 0);
    expect((await friend.keys()).filter((each) => each.key?.revokedAtMs === undefined)).toHaveLength(
      isProven ? 2 : 1,
    );
  },
);

it('a password reset ends the sign-in, and its keys unless they shall stay', async ({ setup }) => {
  const { control, signedIn, signIns } = setup;
  for (const revokes of [undefined, true, false]) {
    const name = `holder-${revokes}`;
    const email = `${name}@example.com`;
    const holder = await signedIn(name, email, false);
    await control.sql`
      INSERT INTO dashboard_users (id, name, email, updated_at) VALUES (${name}, 'x', ${email}, now())`;
    await control.query(
      `INSERT INTO dashboard_sessions (id, token, user_id, expires_at, updated_at)
       VALUES ($1, $1, $1, now() + interval '1 day', now())`,
      [name],
    );
    const { key } = await holder.createKey('kept by the impostor');
    const reset = await signIns.resetPassword(email, revokes);
    expect(await control.query('SELECT 1 FROM dashboard_sessions WHERE user_id = $1', [name])).toEqual([]);
    expect(await control.query('SELECT 1 FROM dashboard_users WHERE id = $1', [name])).toEqual([]);
    expect(reset.revokedKeyIds).toEqual(revokes === false ? [] : [key?.id]);
    const [stored] = await control.query('SELECT revoked_at FROM api_keys WHERE id = $1', [key?.id]);
    expect(stored?.revoked_at === null).toBe(revokes === false);
    await expectRefusal(holder.createKey('late', undefined, name), GrpcStatus.NOT_FOUND);
    await signIns.redeem(reset.token, `new-${name}`);
    expect(await holder.createKey('new', undefined, `new-${name}`)).toMatchObject({ key: { name: 'new' } });
  }
});

it('a password reset leaves the keys of an account without sign-in, unless their revocation is requested', async ({
  setup,
}) => {
  const { control, signIns } = setup;
  const { id } = await signIns.createAccount('service@example.com');
  const { id: keyId } = await administer(control).createKey({ account: id });
  expect((await signIns.resetPassword(id)).revokedKeyIds).toEqual([]);
  expect((await signIns.resetPassword(id, true)).revokedKeyIds).toEqual([keyId]);
});

it('a password reset proves the address of its user, as creating an account does', async ({ setup }) => {
  const { control, owner, signedIn, signIns, team } = setup;
  await owner.offer(team.id, CFO);
  const impostor = await signedIn('impostor', CFO, false);
  expect(await impostor.offeredSeats()).toEqual([]);
  const { token } = await signIns.resetPassword(CFO);
  expect((await signIns.redeem(token, 'cfo')).account).toMatchObject({ emailVerified: true });
  expect(await holderOf(control, impostor.accountId).offeredSeats()).toHaveLength(1);
  expect(await signIns.createAccount('made@example.com')).toMatchObject({ emailVerified: true });
});

it("a new account's pool comes once, after its address is proven if the sign-in requires that", async () => {
  await using control = await startControlPlanes({ environment: { SIGNUP_POOL_USD: '2.50' } });
  const signIns = signInsOf(control);
  const signIn = { signInId: 'ada', email: 'ada@example.com', poolNeedsProof: true };
  const { id } = await signIns.open(signIn);
  expect(await poolsOf(control).list({ kind: 'account', id })).toEqual([]);
  await signIns.open(signIn);
  expect(await poolsOf(control).list({ kind: 'account', id })).toEqual([]);
  for (let again = 0; again < 3; again++) await signIns.open({ ...signIn, emailVerified: true });
  expect(await poolsOf(control).list({ kind: 'account', id })).toMatchObject([
    { name: 'Included with sign-up', included: '2500000000' },
  ]);
  const proven = await signIns.open({
    ...{ signInId: 'grace', email: 'grace@example.com', poolNeedsProof: true, emailVerified: true },
  });
  expect(await poolsOf(control).list({ kind: 'account', id: proven.id })).toHaveLength(1);
  // Also when an operator vouched meanwhile; once, whoever signs in later.
  const vouched = { signInId: 'dan', email: 'dan@example.com', poolNeedsProof: true };
  const { id: vouchedId } = await signIns.open(vouched);
  for (const signInId of ['dan-2', 'dan-3']) {
    const { token } = await signIns.resetPassword(vouched.email);
    await signIns.redeem(token, signInId);
    await signIns.open({ ...vouched, signInId, emailVerified: true });
    expect(await poolsOf(control).list({ kind: 'account', id: vouchedId })).toHaveLength(1);
  }
  const unproven = await signIns.open({ signInId: 'local', email: 'local@example.com' });
  expect(await poolsOf(control).list({ kind: 'account', id: unproven.id })).toHaveLength(1);
  expect(await poolsOf(control).verify()).toMatchObject({ disagreements: [] });
});
