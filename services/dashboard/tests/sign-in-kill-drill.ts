import { setTimeout as wait } from 'node:timers/promises';
import { type SpawnedService, spawnService } from '@model-gateway/test-kit';
import { openSql, type Sql } from '@model-gateway/test-kit/open-sql';
import { startGateway } from '@model-gateway/test-kit/start-gateway';
import { until } from '@model-gateway/test-kit/until';
import { expect } from 'vitest';
import { SIGN_IN_WRITERS, type SignInWriter } from './change-sign-ins.ts';
import { ACTIONS, countChanges, countEvents, countWaiting, observeSignIns } from './observe-sign-ins.ts';
import { PUBLIC_URL } from './server-fixture.ts';

const DASHBOARDS = 2;
/** Allows for users who have used all codes of their authenticator app: the next one comes after 30 s. */
const ALL_KINDS_MS = 180_000;

/**
 * Kills dashboards while users change their sign-ins, and checks that each change has exactly one event.
 * @param kills at least; the drill goes on until a kill left a change whose event was not delivered yet
 * @param changes at least, and at least one of every kind
 */
export async function signInKillDrill({ kills, changes }: { kills: number; changes: number }): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const gateway = stack.adopt(await startGateway({ dataPlanes: 0 }), (started) => started.close());
  const sql = stack.use(openSql(gateway.databaseUrl));
  await observeSignIns(sql);
  const start = (port = 0): Promise<SpawnedService> =>
    spawnService('dashboard', {
      DATABASE_URL: gateway.databaseUrl,
      CONTROL_PLANE_ADDRESS: gateway.controlPlanes.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`).join(','),
      PUBLIC_URL,
      PORT: String(port),
      // Lets each browser choose its client address.
      TRUST_PROXY: '1',
    });
  const dashboards: SpawnedService[] = [];
  stack.defer(async () => {
    for (const dashboard of dashboards) await dashboard[Symbol.asyncDispose]();
  });
  for (let index = 0; index < DASHBOARDS; index++) dashboards.push(await start());

  let isOver = false;
  const errors = new Set<string>();
  const lane = async (writer: SignInWriter, { port }: SpawnedService) => {
    while (!isOver) {
      try {
        const change = await writer({ url: `http://127.0.0.1:${port}`, admin: gateway.admin });
        while (!isOver) await change();
      } catch (error) {
        // The kill broke a call, or left the user in an unknown state: go on with a new user.
        errors.add(String(error).slice(0, 200));
        await wait(100);
      }
    }
  };
  const lanes = dashboards.flatMap((dashboard) => SIGN_IN_WRITERS.map((writer) => lane(writer, dashboard)));

  let killed = 0;
  let leftOver = 0;
  const total = async () => Object.values(await sumsByAction(sql)).reduce((sum, count) => sum + count, 0);
  while (killed < kills || leftOver === 0 || (await total()) < changes) {
    await wait(300 + Math.random() * 2_000);
    const index = Math.floor(Math.random() * dashboards.length);
    const dashboard = dashboards[index];
    if (dashboard === undefined) throw new Error('there is no dashboard to kill');
    dashboard.kill('SIGKILL');
    await dashboard.exit;
    killed++;
    leftOver += await countWaiting(sql);
    dashboards[index] = await start(dashboard.port);
  }
  await until(async () => Object.keys(await sumsByAction(sql)).length === ACTIONS.length, ALL_KINDS_MS);
  isOver = true;
  await Promise.all(lanes);
  await until(async () => (await countWaiting(sql)) === 0);

  const observed = await countChanges(sql);
  const events = await countEvents(sql);
  const sums = await sumsByAction(sql);
  console.log(`sign-in kill drill: ${JSON.stringify({ killed, leftOver, sums, errors: [...errors] })}`);
  expect(Object.keys(sums).toSorted()).toEqual(ACTIONS);
  expect(Object.fromEntries(events)).toEqual(Object.fromEntries(observed));
}

async function sumsByAction(sql: Sql): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const [change, count] of await countChanges(sql)) {
    const action = change.split(' ', 1)[0] ?? '';
    sums[action] = (sums[action] ?? 0) + count;
  }
  return sums;
}
