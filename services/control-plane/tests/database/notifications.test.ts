import { until, watchLag } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { at, type ControlPlanes, startControlPlanes } from '../fixtures/control-planes-fixture.ts';

async function listeners({ query }: ControlPlanes): Promise<unknown[]> {
  const rows = await query(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %' ORDER BY pid`,
  );
  return rows.map(({ pid }) => pid);
}

async function cutListeners(control: ControlPlanes): Promise<unknown[]> {
  const cut = await listeners(control);
  await control.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [cut]);
  return cut;
}

async function readiness(
  { planes }: ControlPlanes,
  plane: number,
): Promise<{ status: number; body: string }> {
  const response = await fetch(`http://127.0.0.1:${at(planes, plane).internalPort}/health/ready`);
  return { status: response.status, body: await response.text() };
}

it('a lost notification connection is reopened, and revocations are as prompt as before', async () => {
  await using control = await startControlPlanes({ count: 2 });
  const watch = await control.dataPlane(0);
  watch.ackEverything();
  for (let round = 1; round <= 3; round++) {
    const cut = await cutListeners(control);
    expect(cut).toHaveLength(2);
    await until(async () => {
      const now = await listeners(control);
      return now.length === 2 && !now.some((pid) => cut.includes(pid));
    });
    const key = await control.createKey(1);
    using lag = watchLag();
    const startedAtMs = performance.now();
    expect((await control.revokeKey(key.id, 1)).unconfirmedInstances).toEqual([]);
    expect(performance.now() - startedAtMs).toBeLessThan(1_000 + lag.allowanceMs());
    expect(watch.revisions.at(-1)).toBe(round);
  }
  await until(async () => (await readiness(control, 0)).status === 200);
});

it('a lost notification connection makes the control plane unready, and loses no revocation for a watcher that pings', async () => {
  await using control = await startControlPlanes({ count: 2 });
  const keys = [await control.createKey(1), await control.createKey(1)];
  const watch = await control.dataPlane(0);
  watch.ackEverything();
  await until(async () => (await readiness(control, 0)).status === 200);
  // Pools keep working; only the cut connections cannot come back.
  await control.allowConnections(false);
  try {
    await cutListeners(control);
    await until(async () => (await readiness(control, 0)).body.includes('notifications'));
    for (const [index, key] of keys.entries()) {
      expect((await control.revokeKey(key.id, 1)).unconfirmedInstances).toEqual([]);
      expect(watch.revisions.at(-1)).toBe(index + 1);
    }
    expect(await listeners(control)).toEqual([]);
  } finally {
    await control.allowConnections(true);
  }
  await until(async () => (await listeners(control)).length === 2);
  await until(async () => (await readiness(control, 0)).status === 200);
  expect(watch.outcome).toBeUndefined();
});
