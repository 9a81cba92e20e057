import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { connectProvider, eventsOf } from '../fixtures/scim-fixture.ts';

const COMPANY = 'company@example.com';
const TEAM = 'team_ofTheGroup';

const control = useControlPlanes({
  environment: {
    SSO_GROUPS: JSON.stringify([
      { group: 'Admins', account: COMPANY, role: 'admin' },
      { group: 'Developers', account: COMPANY, role: 'developer' },
      { group: 'entra-id-of-the-team', team: TEAM },
      { group: 'Operators', provider: 'entra', installation: 'operator' },
      { group: 'Company viewers', role: 'viewer' },
      { group: 'Company admins', role: 'admin' },
    ]),
  },
});

const newEmail = () => `${randomBytes(8).toString('hex')}@example.com`;

/** Creates the company once. @returns its id */
async function company(): Promise<string> {
  const [found] = await control.sql`SELECT id FROM accounts WHERE email = ${COMPANY}`;
  if (found !== undefined) return String(found.id);
  const { id } = await control.admin('accounts', 'createAccount', { email: COMPANY, name: 'Company' });
  await control.sql`
    INSERT INTO teams (id, owner_account_id, name, requests_per_minute) VALUES (${TEAM}, ${id}, 'Team', 600)`;
  return id;
}

/** Returns roles and seats of a person, as `<role or team> by <source>`. */
async function placesOf(email: string): Promise<string[]> {
  const rows = await control.sql`
    SELECT role AS place, source FROM account_members WHERE email = ${email}
    UNION ALL SELECT role, source FROM installation_roles WHERE email = ${email}
    UNION ALL SELECT s.team_id, s.source FROM seats s JOIN accounts a ON a.id = s.account_id
    WHERE a.email = ${email} AND s.removed_at IS NULL ORDER BY 1, 2`;
  return rows.map(({ place, source }) => `${place} by ${source}`);
}

const add = (...ids: string[]) => ({ op: 'Add', path: 'members', value: ids.map((value) => ({ value })) });
const remove = (...ids: string[]) => ({
  op: 'Remove',
  path: 'members',
  value: ids.map((value) => ({ value })),
});

describe('groups of an identity provider', () => {
  it('give the highest role in an account, and take it away with the last group', async () => {
    const account = await company();
    const entra = await connectProvider(control, { name: 'entra' });
    const email = newEmail();
    const id = await entra.createUser(email);
    const developers = await entra.createGroup('Developers', [id]);
    const admins = await entra.createGroup('Admins', [id]);
    const operators = await entra.createGroup('Operators', [id]);
    expect(await placesOf(email)).toEqual(['admin by scim', 'operator by scim']);
    await entra.patch(`/Groups/${admins}`, remove(id));
    expect(await placesOf(email)).toEqual(['developer by scim', 'operator by scim']);
    const made = (await control.admin('accounts', 'createKey', { account, name: 'made' })).key;
    await control.sql`UPDATE api_keys SET member_id = (SELECT id FROM account_members WHERE email = ${email})
      WHERE id = ${made?.id}`;
    await entra.patch(`/Groups/${operators}`, { op: 'Replace', path: 'displayName', value: 'Renamed' });
    await entra.send('DELETE', `/Groups/${developers}`);
    expect(await placesOf(email)).toEqual([]);
    expect((await eventsOf(control, made?.id ?? '')).at(-1)).toMatchObject({
      action: 'api_key.revoked',
      way: 'scim',
      after: { status: 'revoked' },
    });
    const [member] = await control.sql`
      SELECT object_id, array_agg(action ORDER BY at, position) AS actions FROM audit_events
      WHERE object_type = 'member' AND object_name = ${email} GROUP BY 1`;
    expect(member?.actions).toEqual([
      'member.added',
      'member.role_changed',
      'member.role_changed',
      'member.removed',
    ]);
    expect(await eventsOf(control, admins)).toMatchObject([
      { action: 'scim.group_created', after: { user_ids: [id] } },
      { action: 'scim.group_changed', before: { user_ids: [id] }, after: { user_ids: [] } },
    ]);
  });

  it('give seats by their id, and revoke the keys on a seat with it', async () => {
    await company();
    const entra = await connectProvider(control, { name: 'second' });
    const email = newEmail();
    const id = await entra.createUser(email);
    const group = await entra.createGroup(`Team ${email}`, [], { externalId: 'entra-id-of-the-team' });
    await entra.patch(`/Groups/${group}`, add(id));
    expect(await placesOf(email)).toEqual([`${TEAM} by scim`]);
    const [seat] = await control.sql`
      SELECT s.id FROM seats s JOIN accounts a ON a.id = s.account_id WHERE a.email = ${email}`;
    const { key } = await control.admin('accounts', 'createKey', {
      account: email,
      name: 'on the seat',
      seatId: String(seat?.id),
    });
    await entra.patch(`/Groups/${group}`, { op: 'remove', path: `members[value eq "${id}"]` });
    expect(await placesOf(email)).toEqual([]);
    const [revoked] = await control.sql`
      SELECT revoked_at IS NOT NULL AS revoked, suspended_at FROM api_keys WHERE id = ${key?.id}`;
    expect(revoked).toEqual({ revoked: true, suspended_at: null });
    expect(await eventsOf(control, String(seat?.id))).toMatchObject([
      { action: 'seat.created', way: 'scim' },
      { action: 'seat.removed', way: 'scim', after: { revoked_key_ids: [key?.id] } },
    ]);
  });

  it('leave what somebody gave, also when the user is deleted', async () => {
    const account = await company();
    const entra = await connectProvider(control, { name: 'third' });
    const email = newEmail();
    const id = await entra.createUser(email);
    await control.admin('members', 'addMember', { account, email, role: 'viewer' });
    await control.admin('members', 'grantRole', { email, role: 'auditor' });
    const group = await entra.createGroup('Admins', [id]);
    const given = ['auditor by operator', 'viewer by operator'];
    expect(await placesOf(email)).toEqual(given);
    await entra.patch(`/Groups/${group}`, remove(id));
    await entra.send('DELETE', `/Users/${id}`);
    expect(await placesOf(email)).toEqual(given);
  });

  it('of a token for one account give roles there only', async () => {
    const { id: account } = await control.admin('accounts', 'createAccount', {
      email: newEmail(),
      name: 'Other',
    });
    await company();
    const idp = await connectProvider(control, { account, name: 'entra' });
    const email = newEmail();
    const id = await idp.createUser(email);
    await idp.createGroup('Admins', [id]);
    await idp.createGroup('Operators', [id]);
    const viewers = await idp.createGroup('company VIEWERS', [id]);
    expect(await placesOf(email)).toEqual(['developer by scim']);
    const admins = await idp.createGroup('Company admins', [id]);
    expect(await placesOf(email)).toEqual(['admin by scim']);
    await idp.send('DELETE', `/Groups/${admins}`);
    await idp.send('DELETE', `/Groups/${viewers}`);
    expect(await placesOf(email)).toEqual(['developer by scim']);
  });

  it('end the same after concurrent requests as after serial ones', async () => {
    await company();
    const idp = await connectProvider(control, { name: newEmail() });
    const emails = Array.from({ length: 10 }, newEmail);
    const ids = await Promise.all(emails.map((email) => idp.createUser(email)));
    const [developers, admins] = [await idp.createGroup('Developers'), await idp.createGroup('Admins')];
    const answers = await Promise.all(
      ids.flatMap((id) => [
        idp.patch(`/Groups/${developers}`, add(id)),
        idp.patch(`/Groups/${admins}`, add(id)),
      ]),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    const places = await Promise.all(emails.map(placesOf));
    expect(places).toEqual(emails.map(() => ['admin by scim']));
    await Promise.all(ids.map((id) => idp.patch(`/Groups/${admins}`, remove(id))));
    expect(await Promise.all(emails.map(placesOf))).toEqual(emails.map(() => ['developer by scim']));
  });
});
