import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { signInWith } from '../fixtures/roles-fixture.ts';

const COMPANY = 'company@example.com';
const TEAM = 'team_company';
const MIGRATION = new URL(
  '../../../../prisma/migrations/20261216000100_sources_of_oidc_providers/migration.sql',
  import.meta.url,
);

const control = useControlPlanes({
  environment: {
    SSO_GROUPS: JSON.stringify([
      { group: 'staff', account: COMPANY, role: 'developer' },
      { group: 'staff', team: TEAM },
      { group: 'staff', installation: 'auditor' },
    ]),
  },
});

const ALL = (source: string) => [`auditor ${source}`, `developer ${source}`, `seat ${source}`];

async function person() {
  await control.sql`
    INSERT INTO accounts (id, email, name) VALUES ('acct_company', ${COMPANY}, 'Company') ON CONFLICT DO NOTHING`;
  await control.sql`
    INSERT INTO teams (id, owner_account_id, name, requests_per_minute)
    VALUES (${TEAM}, 'acct_company', 'Team', 600) ON CONFLICT DO NOTHING`;
  const email = `${randomUUID()}@example.com`;
  const signInId = await signInWith(control, email);
  return {
    email,
    signInId,
    signIn: (provider: string, ...names: string[]) =>
      control.caller('dashboard', 'openAccounts', {
        ...{ signInId, email, name: 'Test', emailVerified: true, mayCreate: true },
        groups: { provider, names },
      }),
    async places() {
      const rows = await control.sql`
        SELECT role || ' ' || source AS place FROM account_members WHERE email = ${email}
        UNION ALL SELECT role || ' ' || source FROM installation_roles WHERE email = ${email}
        UNION ALL SELECT 'seat ' || s.source FROM seats s JOIN accounts a ON a.id = s.account_id
        WHERE a.email = ${email} AND s.removed_at IS NULL ORDER BY 1`;
      return rows.map(({ place }) => String(place));
    },
  };
}

it('a sign-in takes away what groups of the same OIDC provider gave, and nothing of another one', async () => {
  const { places, signIn } = await person();
  await signIn('entra', 'staff');
  expect(await places()).toEqual(ALL('oidc:entra'));
  for (const other of ['google', 'oidc']) await signIn(other);
  expect(await places()).toEqual(ALL('oidc:entra'));
  await signIn('entra');
  expect(await places()).toEqual([]);
  await signIn('oidc', 'staff');
  expect(await places()).toEqual(ALL('oidc'));
  await signIn('oidc');
  expect(await places()).toEqual([]);
});

it('the migration gives earlier roles and seats to the OIDC provider of the person', async () => {
  const people = await Promise.all(['entra', 'oidc', 'credential'].map(async () => await person()));
  for (const [index, provider] of ['entra', 'oidc', 'credential'].entries()) {
    const { signIn, signInId } = people[index] ?? (await person());
    await signIn('oidc', 'staff');
    await control.sql`
      INSERT INTO dashboard_credentials (id, account_id, provider_id, user_id, updated_at)
      VALUES (${randomUUID()}, ${signInId}, ${provider}, ${signInId}, now())`;
  }
  await control.query(`BEGIN;${await readFile(MIGRATION, 'utf8')};COMMIT`);
  expect(await Promise.all(people.map(({ places }) => places()))).toEqual([
    ALL('oidc:entra'),
    ALL('oidc'),
    ALL('oidc'),
  ]);
});
