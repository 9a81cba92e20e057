import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ControlPlanes, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { connectProvider } from '../fixtures/scim-fixture.ts';

const USERS = 10_000;
const COMPANY = 'company@example.com';
const page = z.object({ totalResults: z.int(), Resources: z.array(z.looseObject({ id: z.string() })) });

/** @param members number of users that one PUT of a group gives a role */
export function describeManyUsers(members: number): void {
  describe(`an identity provider with ${USERS} users`, () => {
    const control = useControlPlanes({
      environment: { SSO_GROUPS: JSON.stringify([{ group: 'Everybody', account: COMPANY, role: 'viewer' }]) },
    });

    it(`pages, filters and fills a group of ${members}, within seconds`, async () => {
      await control.admin('accounts', 'createAccount', { email: COMPANY, name: 'Company' });
      const okta = await connectProvider(control, { name: 'okta' });
      const ids = await insertUsers(control);
      const took: Record<string, number> = {};

      const seen = new Set<string>();
      const paging = await timed(async () => {
        for (let startIndex = 1; startIndex <= USERS; startIndex += 200) {
          const answer = await okta.send('GET', `/Users?startIndex=${startIndex}&count=1000`);
          const { Resources, totalResults } = page.parse(answer.body);
          expect([totalResults, Resources.length]).toEqual([USERS, 200]);
          for (const { id } of Resources) seen.add(id);
        }
      });
      expect(seen).toEqual(new Set(ids));
      took['50 pages of 200'] = paging.tookMs;

      const activeWith99 = ids.filter(
        (_, index) => (index + 1) % 10 > 0 && `${index + 1}`.includes('99'),
      ).length;
      const filters: [string, number][] = [
        ['userName eq "USER9999@example.com"', 1],
        ['externalId eq "ext5000"', 1],
        ['emails[type eq "work"].value eq "user42@example.com"', 1],
        ['userName sw "user99"', 111],
        ['displayName co "99" and active eq true', activeWith99],
        ['active eq false', USERS / 10],
      ];
      for (const [filter, count] of filters) {
        const { result, tookMs } = await timed(() => okta.find('Users', filter));
        expect([filter, result.totalResults]).toEqual([filter, count]);
        took[filter] = tookMs;
      }

      const group = await okta.createGroup('Everybody');
      const body = {
        displayName: 'Everybody',
        members: ids.slice(0, members).map((value) => ({ value, display: `${value}@example.com` })),
      };
      const put = await timed(() => okta.send('PUT', `/Groups/${group}?excludedAttributes=members`, body));
      expect(put.result.status).toBe(200);
      took['PUT of a group that gives a role'] = put.tookMs;
      const [given] = await control.sql`
      SELECT (SELECT count(*)::int FROM account_members) AS members,
        (SELECT count(*)::int FROM audit_events WHERE action = 'member.added') AS events`;
      expect(given).toEqual({ members, events: members });

      const add = await timed(() =>
        okta.patch(`/Groups/${group}`, { op: 'Remove', path: 'members', value: [{ value: ids[0] }] }),
      );
      took['PATCH of one member'] = add.tookMs;
      const read = await timed(() => okta.send('GET', `/Groups/${group}`));
      took['GET with all members'] = read.tookMs;
      expect(read.result.body.members).toHaveLength(members - 1);
      process.stdout.write(`${JSON.stringify(took, null, 1)}\n`);
      // A filter takes tens of milliseconds, all pages together 5 s.
      for (const [filter] of filters) expect(took[filter]).toBeLessThan(5_000);
      expect(paging.tookMs).toBeLessThan(60_000);
    });

    it('finds users by index', async () => {
      const plans = await Promise.all([
        control.sql`
        EXPLAIN SELECT FROM scim_users u WHERE u.directory = '/okta' AND u.user_name_key = 'user9@example.com'`,
        control.sql`EXPLAIN SELECT FROM scim_users u WHERE u.directory = '/okta' AND u.external_id = 'ext9'`,
      ]);
      for (const plan of plans) expect(JSON.stringify(plan)).toMatch(/Index (Only )?Scan/);
    });
  });
}

async function insertUsers(control: ControlPlanes): Promise<string[]> {
  await control.sql`
    INSERT INTO accounts (id, email, name)
    SELECT 'acct_many' || n, 'user' || n || '@example.com', 'User' FROM generate_series(1, ${USERS}::int) n`;
  const rows = await control.sql`
    INSERT INTO scim_users (id, directory, scope, user_name, user_name_key, external_id, display_name, emails,
      email_keys, email, active, account_id, created_at)
    SELECT 'usr_many' || n, '/okta', '', 'User' || n || '@example.com', 'user' || n || '@example.com', 'ext' || n,
      'User ' || n, jsonb_build_array(jsonb_build_object('value', 'user' || n || '@example.com', 'type', 'work')),
      ARRAY['user' || n || '@example.com'], 'user' || n || '@example.com', n % 10 > 0, 'acct_many' || n,
      now() + n * interval '1 ms'
    FROM generate_series(1, ${USERS}::int) n RETURNING id`;
  await control.sql`ANALYZE scim_users`;
  return rows.map(({ id }) => String(id));
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ result: Result; tookMs: number }> {
  const startedAtMs = performance.now();
  const result = await work();
  return { result, tookMs: Math.round(performance.now() - startedAtMs) };
}
