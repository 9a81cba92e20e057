import { GrpcStatus } from '@model-gateway/contracts';
import { expect } from 'vitest';
import { administer, expectRefusal, holdLock, insertAccount } from '../fixtures/administration-fixture.ts';
import { it, startControlPlanes } from '../fixtures/control-planes-fixture.ts';

it("an account's limits are defaults until set one by one, and can be reset", async ({ control }) => {
  const admin = administer(control);
  const defaults = {
    accountId: 'acct_test',
    freePerMinute: { value: 60, isDefault: true },
    paidPerMinute: { value: 100, isDefault: true },
    readsPerMinute: { value: 300, isDefault: true },
    concurrentStreams: { value: 10, isDefault: true },
  };
  expect(await admin.getLimits('test@example.com')).toEqual(defaults);
  const set = await admin.setLimits({
    account: 'test@example.com',
    freePerMinute: { value: 5 },
    concurrentStreams: { value: 10 },
  });
  const changed = {
    ...defaults,
    freePerMinute: { value: 5, isDefault: false },
    concurrentStreams: { value: 10, isDefault: false },
  };
  expect(set).toEqual({ limits: changed, unconfirmedInstances: [] });
  const back = await admin.setLimits({ account: 'acct_test', freePerMinute: {} });
  expect(back.limits).toEqual({ ...changed, freePerMinute: defaults.freePerMinute });
  expect(await admin.getLimits('acct_test')).toEqual(back.limits);
});

it('limits are 1 to a million; a refused change changes nothing', async ({ control }) => {
  const admin = administer(control);
  await control.createKey();
  for (const value of [0, 1_000_001, 4_294_967_295]) {
    const request = {
      account: 'acct_test',
      freePerMinute: { value: 1_000_000 },
      paidPerMinute: { value },
    };
    await expectRefusal(admin.setLimits(request), GrpcStatus.INVALID_ARGUMENT);
  }
  await expectRefusal(admin.setLimits({ account: 'acct_nobody' }), GrpcStatus.NOT_FOUND);
  await expectRefusal(admin.getLimits('nobody@example.com'), GrpcStatus.NOT_FOUND);
  expect((await admin.getLimits('acct_test')).freePerMinute).toEqual({ value: 60, isDefault: true });
  expect(await control.query('SELECT revision FROM key_events')).toEqual([]);
});

it('changed limits reach every data plane as one event per active key, in revision order', async () => {
  await using control = await startControlPlanes({ count: 2 });
  const admin = administer(control);
  const other = await insertAccount(control, 'other');
  const keys = [await control.createKey(), await control.createKey(), await control.createKey()];
  const revoked = await control.createKey();
  await control.revokeKey(revoked.id);
  await admin.createKey({ account: other });
  const watches = [control.watch(0, { resumeRevision: 1 }), control.watch(1, { resumeRevision: 1 })];
  for (const watch of watches) {
    await watch.welcome();
    watch.ackEverything();
    watch.keepPinging();
  }
  const answer = await admin.setLimits({ account: 'acct_test', paidPerMinute: { value: 7 } });
  expect(answer.unconfirmedInstances).toEqual([]);
  for (const watch of watches) {
    expect(watch.revisions).toEqual([2, 3, 4]);
    const changes = watch.events.flatMap(({ changed }) => changed ?? []);
    expect(changes.map(({ keyId }) => keyId).sort()).toEqual(keys.map(({ id }) => id).sort());
    expect(changes.some((change) => change.revoked)).toBe(false);
  }
  for (const key of keys) {
    const { key: context, revision } = await admin.resolve(key.lookupHash);
    expect({ revision, paid: context?.limits?.paidPerMinute }).toEqual({ revision: '4', paid: 7 });
  }
});

it('a change of limits returns when no data plane uses the old ones', async ({ control }) => {
  const key = await control.createKey();
  const watch = await control.dataPlane();
  let answered = false;
  const answer = administer(control)
    .setLimits({ account: 'acct_test', freePerMinute: { value: 1 } })
    .finally(() => {
      answered = true;
    });
  const change = await watch.changeOf(key.id);
  for (let round = 0; round < 3; round++) await watch.heartbeat();
  expect(answered).toBe(false);
  watch.ack(change?.revision ?? '');
  expect((await answer).unconfirmedInstances).toEqual([]);
});

it('changed limits apply to a key that is issued meanwhile', async ({ control }) => {
  const admin = administer(control);
  await control.createKey();
  const lock = await holdLock(control, `SELECT FROM revisions WHERE name = 'keys' FOR UPDATE`);
  const changing = admin.setLimits({ account: 'acct_test', freePerMinute: { value: 3 } });
  await lock.waiting(1);
  const issued = control.createKey().then(({ lookupHash }) => admin.resolve(lookupHash));
  await lock.waiting(2);
  await lock[Symbol.asyncDispose]();
  await changing;
  expect((await issued).key?.limits?.freePerMinute).toBe(3);
});
