import { setTimeout as wait } from 'node:timers/promises';
import { ControlPlaneClient } from '@model-gateway/contracts';
import { type SpawnedService, spawnService, until } from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { createTestDatabase } from '@model-gateway/test-kit/test-database';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ADMIN_TOKEN } from '../fixtures/control-planes-fixture.ts';
import { useReceiver, verify } from '../fixtures/webhook-receiver-fixture.ts';
import { LOOPBACK } from '../fixtures/webhooks-fixture.ts';

const KILLS = 4;
const CONTROL_PLANES = 2;
const LANES = 4;
/** Pause before each change of a lane. Each kill still interrupts several changes and deliveries. */
const PAUSE_MS = 200;

const receiver = useReceiver();

it('no event is lost when control planes are killed at random, and each keeps its id', async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const sql = stack.use(openSql(database.url));
  await sql.run(`INSERT INTO accounts (id, email, name) VALUES ('acct_1', 'one@example.com', 'One')`);
  const environment = { ...LOOPBACK, DATABASE_URL: database.url, MAX_CONTROL_PLANES: '4' };
  const spawn = async () => stack.use(await spawnService('control-plane', environment));
  const planes: SpawnedService[] = await Promise.all(Array.from({ length: CONTROL_PLANES }, spawn));
  const clientOf = ({ port }: SpawnedService) =>
    stack.adopt(
      new ControlPlaneClient({ addresses: [`127.0.0.1:${port}`], token: ADMIN_TOKEN, tls: {} }),
      (client) => client.close(),
    );
  const clients = planes.map(clientOf);
  const added = await clients[0]?.call(30_000, 'webhooks', 'createWebhook', {
    url: receiver.url('killed'),
    events: ['key.created', 'key.revoked'],
    account: 'acct_1',
  });
  // Some attempts run, and some fail, whenever a control plane is killed.
  receiver.answer = (_, response) => {
    const status = Math.random() < 0.2 ? 500 : 204;
    setTimeout(() => response.writeHead(status).end(), 100 * Math.random());
  };
  let isOver = false;
  const work = async (lane: number) => {
    for (let count = 0; !isOver; count++) {
      const client = clients[(lane + count) % CONTROL_PLANES];
      try {
        const request = { account: 'acct_1', name: `${lane}-${count}` };
        await wait(PAUSE_MS);
        const created = await client?.callOnce(5_000, 'accounts', 'createKey', request);
        if (count % 3 === 0)
          await client?.call(5_000, 'accounts', 'revokeKey', { keyId: created?.key?.id ?? '' });
      } catch {
        // Its control plane was killed: the change was made with its event, or not at all.
        await wait(20);
      }
    }
  };
  const lanes = Array.from({ length: LANES }, (_, lane) => work(lane));
  for (let kill = 0; kill < KILLS; kill++) {
    await wait(500 + 1_500 * Math.random());
    const index = kill % CONTROL_PLANES;
    planes[index]?.kill('SIGKILL');
    await planes[index]?.exit;
    const started = await spawn();
    planes[index] = started;
    clients[index] = clientOf(started);
  }
  isOver = true;
  await Promise.all(lanes);
  // Retries, and claims of those that were killed, come due.
  const passTime = () =>
    sql.run(
      `UPDATE webhook_deliveries SET due_at = now() WHERE state = 'pending' AND due_at > now() + interval '20 s'`,
    );
  const isWaiting = async () => {
    await passTime();
    const [row] = await sql.rows(
      `SELECT count(*)::int AS count FROM webhook_deliveries WHERE state <> 'delivered'`,
    );
    return z.object({ count: z.int() }).parse(row).count > 0;
  };
  await until(async () => {
    await wait(500);
    return !(await isWaiting());
  });
  const made = await sql.rows(
    `SELECT 'key.created ' || id AS made FROM api_keys
     UNION ALL SELECT 'key.revoked ' || id FROM api_keys WHERE revoked_at IS NOT NULL ORDER BY 1`,
  );
  const events = new Map<string, Set<string>>();
  for (const each of receiver.at('killed')) {
    verify(added?.secret ?? '', each);
    const { data, type } = JSON.parse(each.text);
    const name = `${type} ${data.id}`;
    events.set(name, (events.get(name) ?? new Set()).add(each.id));
  }
  expect(made.length).toBeGreaterThan(20);
  expect([...events.keys()].sort()).toEqual(
    made.map((row) => z.object({ made: z.string() }).parse(row).made),
  );
  expect([...events.values()].filter((ids) => ids.size > 1)).toEqual([]);
});
