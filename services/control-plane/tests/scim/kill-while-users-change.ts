import { ControlPlaneClient } from '@model-gateway/contracts';
import { spawnService } from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { createTestDatabase } from '@model-gateway/test-kit/test-database';
import { expect } from 'vitest';
import { z } from 'zod';
import { ADMIN_TOKEN } from '../fixtures/control-planes-fixture.ts';

const USERS = 20;
const SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const created = z.object({ id: z.string() });
const adminPort = /"admin_port":(\d+)/;
const stateRows = z.array(
  z.object({
    id: z.string(),
    active: z.boolean(),
    stoppedBy: z.string().nullable(),
    keyIsActive: z.boolean(),
    keyStoppedBy: z.string().nullable(),
    lastAction: z.string(),
    events: z.int(),
    version: z.int(),
  }),
);

/** Kills control planes while users are deactivated or reactivated, and checks the users after each kill. */
export async function killWhileUsersChange(kills: number): Promise<void> {
  await using database = await createTestDatabase();
  await using sql = openSql(database.url);
  const start = async () => {
    const service = await spawnService('control-plane', { DATABASE_URL: database.url });
    return { service, port: Number(adminPort.exec(service.output())?.[1]) };
  };
  let running = await start();
  const users: string[] = [];
  let token = '';
  {
    using client = disposable(running.service.port);
    const call = client.call.bind(client);
    ({ token } = await call(30_000, 'scim', 'createScimToken', { name: 'okta', account: '' }));
    for (let index = 0; index < USERS; index++) {
      const email = `killed${index}@example.com`;
      const body = { userName: email, active: true };
      const { id } = created.parse(await send(running.port, token, 'POST', '/Users', body));
      users.push(id);
      await call(30_000, 'accounts', 'createKey', { account: email, name: 'test' });
    }
  }
  for (let round = 0; round < kills; round++) {
    const active = round % 2 === 1;
    const body = { schemas: [SCHEMA], Operations: [{ op: 'Replace', path: 'active', value: active }] };
    const { port } = running;
    const answers = users.map((id) =>
      send(port, token, 'PATCH', `/Users/${id}`, body).catch(() => undefined),
    );
    await Promise.race([Promise.all(answers), delay(10 + round * 15)]);
    running.service.kill('SIGKILL');
    await running.service.exit;
    await Promise.all(answers);
    await requireConsistent(sql);
    running = await start();
    for (const id of users) await send(running.port, token, 'PATCH', `/Users/${id}`, body);
    const states = await requireConsistent(sql);
    expect(new Set(states.map((state) => state.active))).toEqual(new Set([active]));
  }
  running.service.kill('SIGTERM');
  await running.service.exit;
}

function disposable(port: number) {
  const client = new ControlPlaneClient({ addresses: [`127.0.0.1:${port}`], token: ADMIN_TOKEN, tls: {} });
  return Object.assign(client, { [Symbol.dispose]: () => client.close() });
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function send(
  port: number,
  token: string,
  method: string,
  path: string,
  body: object,
): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}/scim/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return await response.json();
}

/**
 * Requires that a user, its account, its key and its last audit event agree, and that each change has one.
 */
async function requireConsistent(sql: ReturnType<typeof openSql>) {
  const states = stateRows.parse(
    await sql.rows(`
      SELECT u.id, u.active, a.stopped_by AS "stoppedBy", k.revoked_at IS NULL AS "keyIsActive",
        k.stopped_by AS "keyStoppedBy", u.version, e.events, e.actions[1] AS "lastAction"
      FROM scim_users u JOIN accounts a ON a.id = u.account_id JOIN api_keys k ON k.account_id = a.id
      JOIN (
        SELECT object_id, count(*)::int AS events, array_agg(action ORDER BY position DESC) AS actions
        FROM audit_events GROUP BY object_id
      ) e ON e.object_id = u.id`),
  );
  expect(states).toHaveLength(USERS);
  for (const state of states) {
    const { active, id, lastAction, version } = state;
    const lastActions = active ? ['scim.user_created', 'scim.user_reactivated'] : ['scim.user_deactivated'];
    const mark = active ? null : 'scim';
    expect(lastActions).toContain(lastAction);
    expect(state).toMatchObject({
      id,
      stoppedBy: mark,
      keyStoppedBy: mark,
      keyIsActive: active,
      events: version,
    });
  }
  return states;
}
