import { GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { until } from '@model-gateway/test-kit';
import { expect } from 'vitest';
import { type ControlPlanes, it, startControlPlanes } from '../fixtures/control-planes-fixture.ts';

/** Commits an event like a revocation, without a notification. */
async function commitSilently({ query }: ControlPlanes, keyId: string): Promise<number> {
  const [row] = await query(
    `WITH bumped AS (UPDATE revisions SET value = value + 1 WHERE name = 'keys' RETURNING value)
     INSERT INTO key_events (revision, key_id, lookup_hash, revoked) SELECT value, $1, 'v2:x', true FROM bumped
     RETURNING revision`,
    [keyId],
  );
  return Number(row?.revision);
}

it("a new data plane's hello gets the current revision and no history", async ({ control }) => {
  for (const name of ['a', 'b', 'c']) await commitSilently(control, name);
  const watch = control.watch();
  expect(await watch.welcome()).toEqual({ revision: '3', reset: false });
  await watch.heartbeat();
  expect(watch.revisions).toEqual([]);
});

it('a data plane that comes back gets exactly what it missed', async ({ control }) => {
  for (const name of ['a', 'b', 'c', 'd']) await commitSilently(control, name);
  const watch = control.watch(0, { resumeRevision: 2 });
  expect(await watch.welcome()).toEqual({ revision: '4', reset: false });
  await watch.heartbeat();
  expect(watch.revisions).toEqual([3, 4]);
});

it('a data plane is reset only if changes that it missed were pruned', async ({ control }) => {
  for (const name of ['a', 'b', 'c', 'd']) await commitSilently(control, name);
  await control.query('DELETE FROM key_events WHERE revision <= 2');
  const tooOld = control.watch(0, { resumeRevision: 1 });
  expect(await tooOld.welcome()).toEqual({ revision: '4', reset: true });
  await tooOld.heartbeat();
  expect(tooOld.revisions).toEqual([]);
  const recent = control.watch(0, { resumeRevision: 2 });
  expect(await recent.welcome()).toEqual({ revision: '4', reset: false });
  await recent.heartbeat();
  expect(recent.revisions).toEqual([3, 4]);
});

it('a data plane ahead of the database is reset, and revocations wait for it all the same', async () => {
  await using control = await startControlPlanes();
  const key = await control.createKey();
  const watch = control.watch(0, { resumeRevision: 900 });
  expect(await watch.welcome()).toEqual({ revision: '0', reset: true });
  watch.keepPinging();
  const { unconfirmedInstances } = await control.revokeKey(key.id);
  expect(unconfirmedInstances).toEqual([watch.instanceId]);
});

it('a data plane with another pepper is refused, and no revocation waits for it', async ({ control }) => {
  const watch = control.watch(0, { pepperFingerprint: '0123456789abcdef' });
  await until(() => watch.outcome !== undefined);
  expect(grpcStatus(watch.outcome?.error)).toBe(GrpcStatus.FAILED_PRECONDITION);
  expect(watch.outcome?.error?.message).toContain('API_KEY_LOOKUP_PEPPER');
  expect(watch.events).toEqual([]);
  expect(await control.query('SELECT * FROM key_watchers')).toEqual([]);
});

it('a stream that does not begin with a hello is refused', async ({ control }) => {
  const { callers } = control;
  const failure = await new Promise<Error>((resolve) => {
    const stream = callers[0]?.stubs.keys.watchKeys(callers[0].metadata);
    stream?.on('error', resolve);
    stream?.write({ ping: { sequence: 1 } });
  });
  expect(grpcStatus(failure)).toBe(GrpcStatus.FAILED_PRECONDITION);
});

it("a data plane's newest stream replaces the earlier one", async ({ control }) => {
  const first = control.watch();
  await first.welcome();
  const second = control.watch(0, { instanceId: first.instanceId });
  await second.welcome();
  await until(() => first.outcome !== undefined);
  expect(first.outcome).toEqual({ error: undefined });
  expect(await second.heartbeat()).toEqual({ sequence: '1', revision: '0' });
  expect(await control.query('SELECT instance_id FROM key_watchers')).toHaveLength(1);
});

it('a key change reaches the data planes of every control plane', async () => {
  await using control = await startControlPlanes({ count: 3 });
  const key = await control.createKey();
  const watches = [0, 1, 2].map((plane) => control.watch(plane));
  for (const watch of watches) {
    await watch.welcome();
    watch.ackEverything();
  }
  expect((await control.revokeKey(key.id, 0)).unconfirmedInstances).toEqual([]);
  for (const watch of watches) {
    expect(await watch.changeOf(key.id)).toEqual({
      revision: '1',
      keyId: key.id,
      lookupHash: key.lookupHash,
      revoked: true,
    });
  }
});

it('a key change comes before the heartbeat of every later ping, even without a notification', async () => {
  await using control = await startControlPlanes();
  const watch = control.watch();
  await watch.welcome();
  for (let round = 1; round <= 100; round++) {
    const revision = await commitSilently(control, `key-${round}`);
    const heartbeat = await watch.heartbeat();
    expect(Number(heartbeat.revision)).toBeGreaterThanOrEqual(revision);
    const kinds = watch.events.slice(-2).map(({ changed }) => changed?.revision);
    expect(kinds).toEqual([String(revision), undefined]);
  }
  const answered = watch.events.flatMap(({ heartbeat }) => (heartbeat ? [Number(heartbeat.sequence)] : []));
  expect(answered).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
});

it('key changes come in order and without gaps while 50 keys are made and revoked at two control planes', async () => {
  await using control = await startControlPlanes({ count: 2 });
  const watches = [0, 1].map((plane) => control.watch(plane));
  for (const watch of watches) {
    await watch.welcome();
    watch.ackEverything();
    watch.keepPinging();
  }
  const keys = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const key = await control.createKey(index % 2);
      // Confirmation in time depends on the machine, and is not tested here.
      await control.revokeKey(key.id, (index + 1) % 2);
      return key.id;
    }),
  );
  await until(() => watches.every(({ revisions }) => revisions.length >= keys.length));
  for (const watch of watches) {
    expect(watch.revisions).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    const changed = watch.events.flatMap((event) => (event.changed ? [event.changed.keyId] : []));
    expect(changed.toSorted()).toEqual(keys.toSorted());
  }
});
