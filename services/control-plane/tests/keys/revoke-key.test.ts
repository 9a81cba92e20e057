import { ControlPlaneClient, GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { until, watchLag } from '@model-gateway/test-kit';
import { startTcpProxy } from '@model-gateway/test-kit/tcp-proxy';
import { expect } from 'vitest';
import { holdLock } from '../fixtures/administration-fixture.ts';
import {
  at,
  type ControlPlanes,
  INTERNAL_TOKEN,
  it,
  startControlPlanes,
} from '../fixtures/control-planes-fixture.ts';

/** Starts a revocation and records when and how it returns. */
function revoke(control: ControlPlanes, keyId: string, plane = 0) {
  const startedAtMs = performance.now();
  const revocation = { answered: false, done: Promise.resolve({ unconfirmed: [''], tookMs: 0 }) };
  revocation.done = control.revokeKey(keyId, plane).then(({ unconfirmedInstances: unconfirmed }) => {
    revocation.answered = true;
    return { unconfirmed, tookMs: performance.now() - startedAtMs };
  });
  return revocation;
}

it('a revocation returns when the last data plane has acknowledged it, at any control plane', async () => {
  await using control = await startControlPlanes({ count: 2 });
  const key = await control.createKey();
  const prompt = control.watch(0);
  const late = control.watch(1);
  await Promise.all([prompt.welcome(), late.welcome()]);
  prompt.ackEverything();
  for (const watch of [prompt, late]) watch.keepPinging();
  const revocation = revoke(control, key.id, 0);
  const change = await late.changeOf(key.id);
  await prompt.changeOf(key.id);
  // Two hundred round trips leave time for a wrong answer. A busy machine makes fewer, within the four
  // seconds of a revocation.
  const untilMs = performance.now() + 2_000;
  for (let round = 0; round < 200 && performance.now() < untilMs; round++) await late.heartbeat();
  expect(revocation.answered).toBe(false);
  late.ack(change?.revision ?? '');
  expect((await revocation.done).unconfirmed).toEqual([]);
});

it('a revocation does not return on the acknowledgement of an earlier one', async ({ control }) => {
  const [first, second] = [await control.createKey(), await control.createKey()];
  const watch = await control.dataPlane();
  const revocations = [revoke(control, first.id)];
  const { revision } = (await watch.changeOf(first.id)) ?? { revision: '' };
  const secondAtMs = performance.now();
  revocations.push(revoke(control, second.id));
  const later = await watch.changeOf(second.id);
  watch.ack(revision);
  expect((await revocations[0]?.done)?.unconfirmed).toEqual([]);
  // Returns after 4 s without acknowledgement, which a busy machine reaches before 50 rounds.
  for (let round = 0; round < 50 && performance.now() - secondAtMs < 3_000; round++) await watch.heartbeat();
  expect(revocations[1]?.answered).toBe(false);
  watch.ack(later?.revision ?? '');
  expect((await revocations[1]?.done)?.unconfirmed).toEqual([]);
});

// The next four wait for seconds, so they run at the same time.
it.concurrent('a revocation that no longer waited for a lease is sent before any heartbeat that renews it', async () => {
  await using control = await startControlPlanes({ count: 2 });
  const key = await control.createKey();
  const watch = control.watch(0);
  await watch.welcome();
  await watch.heartbeat();
  // Reads the events, then fails to write the renewal.
  const lock = await holdLock(control, 'SELECT * FROM key_watchers FOR UPDATE');
  watch.ping();
  await lock.waiting(1);
  expect((await revoke(control, key.id, 1).done).unconfirmed).toEqual([watch.instanceId]);
  await lock[Symbol.asyncDispose]();
  await until(() => watch.events.length === 4);
  expect(watch.events.slice(2).map(({ event }) => event)).toEqual(['changed', 'heartbeat']);
});

it.concurrent('a revocation names a live data plane that never acknowledges, after about four seconds', async () => {
  using lag = watchLag();
  await using control = await startControlPlanes();
  const key = await control.createKey();
  const [silent, prompt] = [control.watch(), control.watch()];
  await Promise.all([silent.welcome(), prompt.welcome()]);
  prompt.ackEverything();
  for (const watch of [silent, prompt]) watch.keepPinging();
  const { unconfirmed, tookMs } = await revoke(control, key.id).done;
  expect(unconfirmed).toEqual([silent.instanceId]);
  expect(tookMs).toBeGreaterThanOrEqual(3_900);
  expect(tookMs).toBeLessThan(5_000 + lag.allowanceMs());
});

it.concurrent('a revocation waits for the leases of vanished data planes, at most 4 s, and names them', async () => {
  using lag = watchLag();
  await using control = await startControlPlanes();
  await using proxy = await startTcpProxy(at(control.planes, 0).grpcPort, '127.0.0.1');
  const addresses = [`127.0.0.1:${proxy.port}`];
  const remote = new ControlPlaneClient({ addresses, token: INTERNAL_TOKEN, tls: {} });
  const key = await control.createKey();
  const watches = Array.from({ length: 20 }, () => control.watch(remote));
  await Promise.all(watches.map((watch) => watch.welcome()));
  await Promise.all(watches.map((watch) => watch.heartbeat()));
  proxy.cut();
  await until(() => watches.every(({ outcome }) => outcome !== undefined));
  remote.close();
  const { unconfirmed, tookMs } = await revoke(control, key.id).done;
  expect(new Set(unconfirmed)).toEqual(new Set(watches.map(({ instanceId }) => instanceId)));
  // A data plane trusts its cache for 3 s from an answered ping.
  expect(tookMs).toBeGreaterThan(3_000);
  expect(tookMs).toBeLessThan(5_000 + lag.allowanceMs());
  // Unconfirmed data planes are not waited for.
  await control.query(`UPDATE key_watchers SET lease_until = now() - interval '11 seconds'`);
  const later = await revoke(control, (await control.createKey()).id).done;
  expect(later.unconfirmed).toHaveLength(20);
  expect(later.tookMs).toBeLessThan(2_000 + lag.allowanceMs());
});

it.concurrent('a revocation waits for a data plane that changed control planes', async ({
  pair: control,
}) => {
  const key = await control.createKey();
  const before = control.watch(0);
  await before.welcome();
  const { instanceId } = before;
  const after = control.watch(1, { instanceId });
  await after.welcome();
  before.end();
  await until(() => before.outcome !== undefined);
  // The goodbye is in the database when the control plane has closed.
  await at(control.planes, 0).close();
  after.keepPinging();
  expect((await revoke(control, key.id, 1).done).unconfirmed).toEqual([instanceId]);
});

it('a revocation does not wait for a data plane that said goodbye', async () => {
  using lag = watchLag();
  await using control = await startControlPlanes();
  const key = await control.createKey();
  const watch = control.watch();
  await watch.welcome();
  watch.end();
  await until(() => watch.outcome !== undefined);
  const { unconfirmed, tookMs } = await revoke(control, key.id).done;
  expect(unconfirmed).toEqual([]);
  expect(tookMs).toBeLessThan(2_000 + lag.allowanceMs());
});

it("a repeated revocation keeps the key's time, sends no second event, and waits too", async () => {
  await using control = await startControlPlanes({ count: 2 });
  const key = await control.createKey();
  const watch = await control.dataPlane();
  const both = [revoke(control, key.id, 0), revoke(control, key.id, 1)];
  const startedAtMs = performance.now();
  const change = await watch.changeOf(key.id);
  // Many round trips, but fewer than in the four seconds of a revocation.
  for (let round = 0; round < 50 && performance.now() - startedAtMs < 1_500; round++) await watch.heartbeat();
  expect(both.map(({ answered }) => answered)).toEqual([false, false]);
  watch.ack(change?.revision ?? '');
  await Promise.all(both.map(({ done }) => done));
  const [first, second] = [await control.revokeKey(key.id), await control.revokeKey(key.id, 1)];
  expect(second).toEqual(first);
  expect(Number(first.key?.revokedAtMs)).toBeGreaterThan(0);
  expect(watch.revisions).toEqual([1]);
});

it('revoking a key that does not exist is NOT_FOUND and changes nothing', async ({ control }) => {
  const error = await control.revokeKey('key_nonexistent').catch((thrown: unknown) => thrown);
  expect(grpcStatus(error)).toBe(GrpcStatus.NOT_FOUND);
  expect(await control.query('SELECT revision FROM key_events')).toEqual([]);
});
