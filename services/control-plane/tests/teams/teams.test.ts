import { GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { expect } from 'vitest';
import {
  administer,
  expectRefusal,
  holdLock,
  insertAccount,
  refusalOf,
} from '../fixtures/administration-fixture.ts';
import { type ControlPlanes, it, startControlPlanes } from '../fixtures/control-planes-fixture.ts';

/** Exchanges heartbeats as long as a control plane waits for a data plane. */
async function heartbeats(watch: { heartbeat(): Promise<unknown> }): Promise<void> {
  const startedAtMs = performance.now();
  for (let round = 0; round < 50 && performance.now() - startedAtMs < 1_500; round++) await watch.heartbeat();
}

/** Creates a team with a seat of another account, and keys on it. */
async function seatWithKeys(control: ControlPlanes, keyCount: number) {
  const admin = administer(control);
  const account = await insertAccount(control, 'member');
  const team = await admin.createTeam();
  const seat = await admin.addSeat(team.id, account);
  const keys: Awaited<ReturnType<typeof admin.createKey>>[] = [];
  while (keys.length < keyCount) keys.push(await admin.createKey({ account, seatId: seat.id }));
  return { admin, account, team, seat, keys };
}

it('a team belongs to an account and has 600 requests per minute, or the given limit', async () => {
  await using control = await startControlPlanes();
  const admin = administer(control);
  const plain = await admin.createTeam({ account: 'test@example.com', name: ' Research ' });
  expect(plain).toMatchObject({ accountId: 'acct_test', name: 'Research', requestsPerMinute: 600 });
  expect(plain.id).toMatch(/^team_\w{24}$/);
  const small = await admin.createTeam({ requestsPerMinute: 5 });
  expect(await admin.listTeams('acct_test')).toEqual([plain, { ...small, requestsPerMinute: 5 }]);
  expect(await admin.listTeams(await insertAccount(control, 'other'))).toEqual([]);
});

it('a team needs a name, an owner and a limit above 0', async ({ control }) => {
  const admin = administer(control);
  await expectRefusal(admin.createTeam({ name: ' ' }), GrpcStatus.INVALID_ARGUMENT);
  await expectRefusal(admin.createTeam({ requestsPerMinute: 0 }), GrpcStatus.INVALID_ARGUMENT);
  await expectRefusal(admin.createTeam({ requestsPerMinute: 1_000_001 }), GrpcStatus.INVALID_ARGUMENT);
  await expectRefusal(admin.createTeam({ account: 'acct_nobody' }), GrpcStatus.NOT_FOUND);
  await expectRefusal(admin.listTeams('acct_nobody'), GrpcStatus.NOT_FOUND);
  expect(await control.query('SELECT id FROM teams')).toEqual([]);
});

it("a team's new limit reaches data planes for every active key on its seats and no other", async () => {
  await using control = await startControlPlanes();
  const { admin, account, team, keys } = await seatWithKeys(control, 2);
  const elsewhere = await admin.createTeam();
  const otherSeat = await admin.addSeat(elsewhere.id, account);
  await admin.createKey({ account, seatId: otherSeat.id });
  await admin.createKey({ account });
  const watch = await control.dataPlane();
  watch.ackEverything();
  const answer = await admin.setTeamLimit(team.id, 42);
  expect(answer).toEqual({ team: { ...team, requestsPerMinute: 42 }, unconfirmedInstances: [] });
  const changes = watch.events.flatMap(({ changed }) => changed ?? []);
  expect(changes.map(({ keyId }) => keyId).sort()).toEqual(keys.map(({ id }) => id).sort());
  expect(changes.some(({ revoked }) => revoked)).toBe(false);
  for (const { lookupHash } of keys)
    expect((await admin.resolve(lookupHash)).key?.limits?.teamPerMinute).toBe(42);
  await expectRefusal(admin.setTeamLimit('team_none', 1), GrpcStatus.NOT_FOUND);
  await expectRefusal(admin.setTeamLimit(team.id, 0), GrpcStatus.INVALID_ARGUMENT);
});

it('an account gets one seat per team under any concurrency, and a new one after its removal', async () => {
  await using control = await startControlPlanes({ count: 2 });
  const account = await insertAccount(control, 'member');
  const [one, two] = [administer(control, 0), administer(control, 1)];
  const team = await one.createTeam();
  const attempts = await Promise.allSettled(
    [one, two, one, two].map((admin) => admin.addSeat(team.id, account)),
  );
  const refused = attempts.flatMap((attempt) =>
    attempt.status === 'rejected' ? [grpcStatus(attempt.reason)] : [],
  );
  expect(refused).toEqual(Array.from({ length: 3 }, () => GrpcStatus.ALREADY_EXISTS));
  const [first] = await one.listSeats(team.id);
  expect(first).toMatchObject({
    teamId: team.id,
    accountId: account,
    accountEmail: 'member@example.com',
  });
  await one.removeSeat(first?.id ?? '');
  const second = await two.addSeat(team.id, 'member@example.com');
  const seats = await one.listSeats(team.id);
  expect(seats.map(({ id, removedAtMs }) => [id, removedAtMs !== undefined])).toEqual([
    [second.id, false],
    [first?.id, true],
  ]);
});

it('a seat needs an existing team and account', async ({ control }) => {
  const admin = administer(control);
  const team = await admin.createTeam();
  await expectRefusal(admin.addSeat('team_none', 'acct_test'), GrpcStatus.NOT_FOUND);
  await expectRefusal(admin.addSeat(team.id, 'acct_none'), GrpcStatus.NOT_FOUND);
  await expectRefusal(admin.listSeats('team_none'), GrpcStatus.NOT_FOUND);
  await expectRefusal(admin.removeSeat('seat_none'), GrpcStatus.NOT_FOUND);
  expect(await control.query('SELECT id FROM seats')).toEqual([]);
});

it('a key on a seat has its seat, team and team limit; another key has none', async ({ control }) => {
  const { admin, account, team, seat, keys } = await seatWithKeys(control, 1);
  const [onSeat] = keys;
  expect(onSeat).toMatchObject({ accountId: account, seatId: seat.id });
  const { key } = await admin.resolve(onSeat?.lookupHash ?? '');
  expect(key).toMatchObject({ accountId: account, seatId: seat.id, teamId: team.id });
  expect(key?.limits).toMatchObject({ freePerMinute: 60, teamPerMinute: 600 });
  const { lookupHash } = await admin.createKey({ account });
  const without = await admin.resolve(lookupHash);
  expect(without.key?.limits).not.toHaveProperty('teamPerMinute');
  expect(without.key).not.toHaveProperty('teamId');
});

it("a key is issued only on the account's own active seat", async ({ control }) => {
  const { admin, account, seat } = await seatWithKeys(control, 0);
  await expectRefusal(
    admin.createKey({ account: 'acct_test', seatId: seat.id }),
    GrpcStatus.INVALID_ARGUMENT,
  );
  for (const seatId of ['seat_none', ''])
    await expectRefusal(admin.createKey({ account, seatId }), GrpcStatus.NOT_FOUND);
  await admin.removeSeat(seat.id);
  await expectRefusal(admin.createKey({ account, seatId: seat.id }), GrpcStatus.FAILED_PRECONDITION);
  expect(await control.query('SELECT id FROM api_keys')).toEqual([]);
});

it('removing a seat returns when every data plane has dropped all its keys, at any control plane', async () => {
  await using control = await startControlPlanes({ count: 2 });
  const { admin, account, seat, keys } = await seatWithKeys(control, 3);
  const { id: offSeat } = await admin.createKey({ account });
  const prompt = control.watch(0);
  const late = control.watch(1);
  await Promise.all([prompt.welcome(), late.welcome()]);
  prompt.ackEverything();
  for (const watch of [prompt, late]) watch.keepPinging();
  let answered = false;
  const removal = admin.removeSeat(seat.id).finally(() => {
    answered = true;
  });
  const changes = await Promise.all(keys.map(({ id }) => late.changeOf(id)));
  expect(changes.map((change) => change?.revoked)).toEqual([true, true, true]);
  const revisions = changes.map((change) => Number(change?.revision)).sort();
  expect(revisions).toEqual([1, 2, 3]);
  late.ack(2);
  await heartbeats(late);
  expect(answered).toBe(false);
  late.ack(3);
  const { revokedKeyIds, seat: removed, unconfirmedInstances } = await removal;
  expect(unconfirmedInstances).toEqual([]);
  expect(revokedKeyIds).toEqual(keys.map(({ id }) => id));
  expect(removed).toMatchObject({ ...seat, removedAtMs: expect.stringMatching(/^\d+$/) });
  for (const { lookupHash } of keys) expect((await admin.resolve(lookupHash)).key).toBeNull();
  const active = await control.query('SELECT id FROM api_keys WHERE revoked_at IS NULL');
  expect(active).toEqual([{ id: offSeat }]);
});

it('removing a seat names a live data plane that never acknowledges', async ({ control }) => {
  const { admin, seat, keys } = await seatWithKeys(control, 1);
  const silent = await control.dataPlane();
  const answer = await admin.removeSeat(seat.id);
  expect(answer.unconfirmedInstances).toEqual([silent.instanceId]);
  expect(answer.revokedKeyIds).toEqual([keys[0]?.id]);
});

it('a repeated removal returns the same, sends no second event, and waits too', async ({ pair: control }) => {
  const { admin, seat, keys } = await seatWithKeys(control, 2);
  const before = keys[0]?.id ?? '';
  await control.revokeKey(before);
  const watch = await control.dataPlane();
  let answers = 0;
  const both = [0, 1].map((plane) =>
    administer(control, plane)
      .removeSeat(seat.id)
      .finally(() => answers++),
  );
  const change = await watch.changeOf(keys[1]?.id ?? '');
  await heartbeats(watch);
  expect(answers).toBe(0);
  watch.ack(change?.revision ?? '');
  const [first, second] = await Promise.all(both);
  expect(second).toEqual(first);
  expect(first?.revokedKeyIds).toEqual([keys[1]?.id]);
  expect(await admin.removeSeat(seat.id)).toEqual(first);
  const events = await control.query('SELECT revision FROM key_events ORDER BY revision');
  expect(events).toEqual([{ revision: '1' }, { revision: '2' }]);
});

it('removing a seat leaves no key that was issued at the same time', async ({ control }) => {
  const { admin, account, seat } = await seatWithKeys(control, 0);
  const lock = await holdLock(control, 'LOCK TABLE api_keys IN SHARE MODE');
  const early = admin.createKey({ account, seatId: seat.id });
  await lock.waiting(1);
  const removal = admin.removeSeat(seat.id);
  await lock.waiting(2);
  await lock[Symbol.asyncDispose]();
  const key = await early;
  expect((await removal).revokedKeyIds).toEqual([key.id]);
  expect((await admin.resolve(key.lookupHash)).key).toBeNull();
});

it('removing a seat prevents new keys once it has begun', async ({ control }) => {
  const { admin, account, seat } = await seatWithKeys(control, 1);
  const lock = await holdLock(control, `SELECT FROM revisions WHERE name = 'keys' FOR UPDATE`);
  const removal = admin.removeSeat(seat.id);
  await lock.waiting(1);
  const late = refusalOf(admin.createKey({ account, seatId: seat.id }));
  await lock.waiting(2);
  await lock[Symbol.asyncDispose]();
  await removal;
  expect(await late).toBe(GrpcStatus.FAILED_PRECONDITION);
});

it('events of concurrent removals, revocations and limit changes have consecutive revisions', async () => {
  await using control = await startControlPlanes({ count: 2 });
  const planes = [administer(control, 0), administer(control, 1)] as const;
  const accounts: string[] = [];
  while (accounts.length < 8) accounts.push(await insertAccount(control, `member${accounts.length}`));
  const seats = await Promise.all(
    accounts.map(async (account, index) => {
      const admin = planes[index % 2 === 0 ? 0 : 1];
      const team = await admin.createTeam();
      const seat = await admin.addSeat(team.id, account);
      const keys = [
        await admin.createKey({ account, seatId: seat.id }),
        await admin.createKey({ account, seatId: seat.id }),
        await admin.createKey({ account }),
      ];
      return { admin, account, team, seat, keys };
    }),
  );
  await Promise.all(
    seats.flatMap(({ admin, account, team, seat, keys }, index) => [
      admin.setLimits({ account, freePerMinute: { value: 9 } }),
      admin.removeSeat(seat.id),
      admin.setTeamLimit(team.id, 9),
      control.revokeKey(keys[0]?.id ?? '', index % 2),
    ]),
  );
  const events = await control.query('SELECT revision::int, key_id, revoked FROM key_events ORDER BY 1');
  expect(events.map(({ revision }) => revision)).toEqual(events.map((_, index) => index + 1));
  const [counter] = await control.query(`SELECT value::int FROM revisions WHERE name = 'keys'`);
  expect(counter?.value).toBe(events.length);
  const revoked = events.flatMap((event) => (event.revoked === true ? [event.key_id] : []));
  expect(revoked.sort()).toEqual(seats.flatMap(({ keys }) => keys.slice(0, 2).map(({ id }) => id)).sort());
});
