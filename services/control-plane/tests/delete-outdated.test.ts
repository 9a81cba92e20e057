import { TEST_SECRETS } from '@model-gateway/test-kit/test-secrets';
import { expect } from 'vitest';
import { parseControlPlaneConfig } from '../src/config.ts';
import { createContext } from '../src/context.ts';
import { deleteOutdated } from '../src/delete-outdated.ts';
import { insertAccount } from './fixtures/administration-fixture.ts';
import { type ControlPlanes, it } from './fixtures/control-planes-fixture.ts';

async function deleteOutdatedOf(control: ControlPlanes): Promise<void> {
  const context = await createContext(
    parseControlPlaneConfig({ ...TEST_SECRETS, DATABASE_URL: control.databaseUrl, LOG_LEVEL: 'silent' }),
  );
  try {
    await deleteOutdated(context);
  } finally {
    await context.prisma.$disconnect();
  }
}

const idsOf = async (control: ControlPlanes, table: string, column: string) =>
  (await control.query(`SELECT ${column} AS id FROM ${table} ORDER BY 1`)).map(({ id }) => id);

it('clean-up deletes playground keys a day after expiry, and no others', async ({ control }) => {
  const insert = (id: string, kind: string, expires: string | null) =>
    control.query(
      `INSERT INTO api_keys (id, account_id, name, lookup_hash, display_prefix, kind, created_at, revoked_at, expires_at)
       VALUES ($1::text, 'acct_test', 'Key', 'v2:' || encode(sha256($1::text::bytea), 'hex'), 'gw_live_12345678', $2, now() - interval '1 year',
         now() - interval '1 year', now() + $3::interval)`,
      [id, kind, expires],
    );
  await insert('key_ended', 'playground', '-24 hours -1 second');
  await insert('key_ended_today', 'playground', '-23 hours');
  await insert('key_running', 'playground', '10 minutes');
  await insert('key_revoked', 'issued', null);
  await insert('key_demo', 'demo', null);
  await deleteOutdatedOf(control);
  expect(await idsOf(control, 'api_keys', 'id')).toEqual([
    'key_demo',
    'key_ended_today',
    'key_revoked',
    'key_running',
  ]);
});

it('clean-up forgets data planes a day after their leases have run out', async ({ control }) => {
  await control.sql`INSERT INTO key_watchers (instance_id, control_plane_id, acked_revision, lease_until) VALUES
       ('live', 'cp', 0, now() + interval '1 hour'), ('today', 'cp', 0, now() - interval '23 hours 59 minutes'),
       ('long-ago', 'cp', 0, now() - interval '24 hours 1 second')`;
  await deleteOutdatedOf(control);
  expect(await idsOf(control, 'key_watchers', 'instance_id')).toEqual(['live', 'today']);
});

it('clean-up forgets the credentials of forgotten data planes', async ({ control }) => {
  await control.query(`INSERT INTO key_watchers VALUES ('here', 'any', 0, now())`);
  for (const instance of ['here', 'gone'])
    await control.sql`INSERT INTO data_plane_credentials VALUES (${instance}, ${'ACME_API_KEY'}, true)`;
  await deleteOutdatedOf(control);
  expect(await idsOf(control, 'data_plane_credentials', 'instance_id')).toEqual(['here']);
});

it('clean-up forgets hashes of admin keys and SCIM tokens under a pepper that is not configured', async ({
  control,
}) => {
  await control.sql`
    INSERT INTO admin_keys (id, name, lookup_hash, previous_lookup_hash, display_prefix, scopes)
    VALUES ('adm_1', 'key', 'new', 'old', 'gw_admin_1', ${['keys:read']})`;
  await control.sql`
    INSERT INTO scim_tokens (id, name, lookup_hash, previous_lookup_hash, display_prefix)
    VALUES ('scim_1', 'token', 'new', 'old', 'gw_scim_1')`;
  await deleteOutdatedOf(control);
  for (const table of ['admin_keys', 'scim_tokens']) {
    const found = await control.query(`SELECT lookup_hash, previous_lookup_hash FROM ${table}`);
    expect([table, found]).toEqual([table, [{ lookup_hash: 'new', previous_lookup_hash: null }]]);
  }
});

it('clean-up deletes expired password resets', async ({ control }) => {
  for (const [name, hours] of [
    ['expired', -1],
    ['open', 1],
  ] as const) {
    await control.sql`
      INSERT INTO password_resets VALUES (${await insertAccount(control, name)}, ${name}, now() + ${hours}::int * interval '1 hour')`;
  }
  await deleteOutdatedOf(control);
  expect(await idsOf(control, 'password_resets', 'account_id')).toEqual(['acct_open']);
});

it('clean-up finds expired rows along an index', async ({ control }) => {
  await control.query('SET enable_seqscan = off');
  for (const table of ['api_keys', 'password_resets', 'dashboard_sessions', 'dashboard_verifications']) {
    const plan = await control.query(`EXPLAIN DELETE FROM ${table} WHERE expires_at < now()`);
    expect(JSON.stringify(plan)).toContain(`${table}_expires_at_idx`);
  }
});
