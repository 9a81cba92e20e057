import { randomUUID } from 'node:crypto';
import { GrpcStatus } from '@model-gateway/contracts';
import { simulatedCatalog, TEST_SECRETS } from '@model-gateway/test-kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  administer,
  expectRefusal,
  insertAccount,
} from '../../../services/control-plane/tests/fixtures/administration-fixture.ts';
import {
  at,
  type ControlPlanes,
  startControlPlanes,
} from '../../../services/control-plane/tests/fixtures/control-planes-fixture.ts';
import {
  applyCatalog,
  holderUsageOf,
} from '../../../services/control-plane/tests/fixtures/holder-usage-fixture.ts';
import { hold, poolsOf, settle } from '../../../services/control-plane/tests/fixtures/pools-fixture.ts';
import { addDemoAccount } from '../src/demo-usage/add-demo-account.ts';

const USD = 1_000_000_000;
const SIMULATED = 'http://127.0.0.1:9';
const EMAIL = 'demo@example.com';

let control: ControlPlanes;
beforeAll(async () => {
  control = await startControlPlanes();
  await applyCatalog(control, simulatedCatalog(SIMULATED));
});
afterAll(() => control[Symbol.asyncDispose]());

const removeDemo = () => control.admin('accounts', 'removeDemo', {});
const rollUp = () => control.sql`SELECT roll_up_settlements(1000)`;

/** @returns the id of the demo account */
async function addDemo(): Promise<string> {
  const { admins, databaseUrl } = control;
  const pepper = TEST_SECRETS.API_KEY_LOOKUP_PEPPER;
  const options = { client: at(admins, 0), databaseUrl, pepper, simulatedBaseUrl: SIMULATED };
  expect(await addDemoAccount(options)).toBe(true);
  const [row] = await control.sql`SELECT id FROM accounts WHERE email = ${EMAIL}`;
  return String(row?.id);
}

/** Returns the tables with a row that contains one of the ids, without events, which keep history. */
async function tablesWith(...ids: string[]): Promise<string[]> {
  const tables = await control.sql`
    SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
      AND table_name NOT IN ('key_events', 'audit_events')`;
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await control.query(
      `SELECT FROM "${name}" t WHERE EXISTS (SELECT FROM unnest($1::text[]) AS id WHERE t::text LIKE '%' || id || '%')
       LIMIT 1`,
      [ids],
    );
    if (rows.length > 0) found.push(String(name));
  }
  return found;
}

it('the removal of the demo account deletes all its data, ends its keys at once, and leaves other accounts alone', async () => {
  const own = await insertAccount(control, 'own');
  const pools = poolsOf(control);
  await pools.add({ kind: 'account', id: own });
  await settle(control, [{ requestId: randomUUID(), cost: USD, owner: { accountId: own } }]);

  const demo = await addDemo();
  const admin = administer(control);
  const team = await admin.createTeam({ account: EMAIL });
  const { id: seatId } = await admin.addSeat(team.id, own);
  await pools.add({ kind: 'account', id: demo });
  await pools.add({ kind: 'team', id: team.id }, { unlimited: true });
  const keys = [
    await admin.createKey({ account: EMAIL }),
    await admin.createKey({ account: 'own@example.com', seatId }),
  ];
  const [ofDemo, ofSeat] = keys;
  await settle(control, [
    { requestId: randomUUID(), cost: USD, owner: { accountId: demo }, keyId: ofDemo?.id ?? '' },
    {
      requestId: randomUUID(),
      cost: USD,
      owner: { accountId: own, seatId, teamId: team.id },
      keyId: ofSeat?.id ?? '',
    },
  ]);
  await rollUp();
  await settle(control, [{ requestId: randomUUID(), cost: USD, owner: { accountId: demo } }]);
  await control.sql`
    INSERT INTO refused_requests (
      key_id, hour, error_code, model_id, capability, account_id, status, count, first_at, last_at
    ) VALUES (${ofDemo?.id}, now(), 'insufficient_balance', '', 'chat', ${demo}, 402, 1, now(), now())`;
  await control.sql`INSERT INTO dashboard_users (id, name, email, updated_at)
    VALUES ('user_demo', 'Demo', ${EMAIL}, now())`;
  await control.sql`UPDATE accounts SET sign_in_id = 'user_demo' WHERE id = ${demo}`;
  const watch = await control.dataPlane();
  watch.keepPinging();

  const removing = removeDemo();
  for (const { id } of keys) expect(await watch.changeOf(id)).toMatchObject({ revoked: true });
  watch.ack(watch.revisions.at(-1) ?? 0);
  const removed = await removing;
  watch.cancel();
  await control.sql`DELETE FROM key_watchers`;
  expect(removed).toMatchObject({ accountId: demo, unconfirmedInstances: [] });
  expect(Number(removed.requests)).toBeGreaterThan(2_300);
  expect(await tablesWith(demo, team.id, seatId, 'user_demo', EMAIL, ...keys.map(({ id }) => id))).toEqual(
    [],
  );
  expect((await pools.verify()).disagreements).toEqual([]);
  for (const each of keys) expect((await admin.resolve(each.lookupHash)).key).toBeNull();
  expect((await holderUsageOf(control, own).usage()).totals).toMatchObject({
    requests: '1',
    cost: String(USD),
  });

  const again = await removeDemo();
  expect(again).toMatchObject({ requests: '0', unconfirmedInstances: [] });
  expect(again).not.toHaveProperty('accountId');
});

it('the removal of the demo account is refused while its requests run, and a repeated call finishes it', async () => {
  const demo = await addDemo();
  await poolsOf(control).add({ kind: 'account', id: demo });
  await hold(control, 'allowance_demo', USD, demo);
  await expectRefusal(removeDemo(), GrpcStatus.FAILED_PRECONDITION);
  await control.sql`SELECT return_allowance('allowance_demo', 0, 0, true)`;
  expect(await removeDemo()).toMatchObject({ accountId: demo });
  expect(await tablesWith(demo)).toEqual([]);
});

it('usage of the demo account that the team of another account paid for is kept', async () => {
  const demo = await addDemo();
  const admin = administer(control);
  const team = await admin.createTeam({ account: 'acct_test' });
  const { id: seatId } = await admin.addSeat(team.id, EMAIL);
  await poolsOf(control).add({ kind: 'team', id: team.id });
  const owner = { accountId: demo, seatId, teamId: team.id };
  await settle(control, [{ requestId: randomUUID(), cost: USD, owner }]);
  await removeDemo();
  expect(await control.sql`SELECT charged FROM usage_records WHERE account_id = ${demo}`).toEqual([
    { charged: String(USD) },
  ]);
  expect(await control.sql`SELECT deleted_at IS NULL AS is_there FROM accounts WHERE id = ${demo}`).toEqual([
    { is_there: false },
  ]);
  await rollUp();
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
});

it('an account with the address of the demo account but without made-up usage is kept', async () => {
  await control.sql`INSERT INTO accounts (id, email, name) VALUES ('acct_real', ${EMAIL}, 'Real')`;
  expect(await removeDemo()).not.toHaveProperty('accountId');
  expect(await control.sql`SELECT suspended_at FROM accounts WHERE id = 'acct_real'`).toEqual([
    { suspended_at: null },
  ]);
});
