import { simulatedCatalog } from '@model-gateway/test-kit';
import { beforeEach, expect } from 'vitest';
import { administer, insertAccount } from '../fixtures/administration-fixture.ts';
import { it, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { holderOf } from '../fixtures/holder-fixture.ts';

const control = useControlPlanes();

beforeEach(async () => {
  await control.query('DELETE FROM audit_events');
  await control.query(`UPDATE audit_chains SET position = 0, hash = ''`);
});

/** Events in the order in which they were written, of one chain. */
async function events(accountId: string | null) {
  return await control.query(
    `SELECT action, object_type AS type, object_id AS id, object_name AS name, account_id, before, after
     FROM audit_events WHERE account_id IS NOT DISTINCT FROM $1 ORDER BY position`,
    [accountId],
  );
}

it('every change of a team and its seats has an event of the team owner, with what ended with it', async () => {
  const owner = await insertAccount(control, 'team-owner');
  const [member, other] = [
    await insertAccount(control, 'team-member'),
    await insertAccount(control, 'team-other'),
  ];
  const admin = administer(control);
  const team = await admin.createTeam({ account: owner, name: 'Research' });
  await admin.setTeamLimit(team.id, 5);
  await admin.setTeamLimit(team.id, 5);
  const seat = await admin.addSeat(team.id, member);
  const key = await admin.createKey({ account: member, seatId: seat.id });
  await control.admin('teams', 'moveSeat', { seatId: seat.id, account: other });
  await control.admin('teams', 'moveSeat', { seatId: seat.id, account: other });
  await admin.removeSeat(seat.id);
  await admin.removeSeat(seat.id);
  const second = await admin.addSeat(team.id, member);
  await control.admin('teams', 'deleteTeam', { teamId: team.id });
  await control.admin('teams', 'deleteTeam', { teamId: team.id });
  const about = { type: 'team', id: team.id, name: 'Research', account_id: owner };
  const aboutSeat = { type: 'seat', id: seat.id, account_id: owner };
  const memberEmail = 'team-member@example.com';
  expect(await events(owner)).toMatchObject([
    { action: 'team.created', ...about, before: null, after: { object: 'team', requests_per_minute: 600 } },
    {
      ...{ action: 'team.updated', ...about },
      ...{ before: { requests_per_minute: 600 }, after: { requests_per_minute: 5 } },
    },
    { action: 'seat.created', ...aboutSeat, name: memberEmail, before: null, after: { account_id: member } },
    {
      ...{ action: 'seat.moved', ...aboutSeat, name: 'team-other@example.com' },
      ...{ before: { account_id: member }, after: { account_id: other, revoked_key_ids: [key.id] } },
    },
    {
      ...{ action: 'seat.removed', ...aboutSeat },
      ...{ before: { removed_at: null }, after: { removed_at: expect.any(String) } },
    },
    { action: 'seat.created', id: second.id },
    {
      ...{ action: 'team.deleted', ...about, before: { deleted_at: null } },
      after: { deleted_at: expect.any(String), removed_seat_ids: [second.id] },
    },
  ]);
});

it('invitations have events, without the token', async () => {
  const owner = await insertAccount(control, 'inviter');
  const guest = await insertAccount(control, 'guest');
  const holder = holderOf(control, owner);
  const team = await holder.createTeam('Guests');
  const first = await holder.offer(team.id, 'guest@example.com');
  const { invitation, token } = await holder.offer(team.id, 'guest@example.com');
  const { id: seatId } = await holderOf(control, guest).accept({ token });
  const { invitation: withdrawn } = await holder.offer(team.id, 'else@example.com');
  await holder.withdraw(withdrawn.id);
  const found = await events(owner);
  expect(found).toMatchObject([
    { action: 'team.created' },
    {
      ...{ action: 'invite.sent', type: 'invitation', id: first.invitation.id, name: 'guest@example.com' },
      ...{ before: null, after: { object: 'invitation', team_id: team.id, email: 'guest@example.com' } },
    },
    { action: 'invite.sent', before: { id: first.invitation.id }, after: { id: invitation.id } },
    { action: 'seat.created', id: seatId, before: null, after: { account_id: guest } },
    { action: 'invite.accepted', id: invitation.id, before: { id: invitation.id }, after: null },
    { action: 'invite.sent', id: withdrawn.id },
    { action: 'invite.deleted', id: withdrawn.id, before: { email: 'else@example.com' }, after: null },
  ]);
  expect(JSON.stringify(found)).not.toContain(token);
});

it('a change of the catalog has an event with the number of changes and their first ids', async () => {
  const models = Array.from({ length: 150 }, (_, index) => {
    const [model] = simulatedCatalog('http://127.0.0.1:1').models ?? [];
    return { ...model, id: `sim/copy-${index}`, aliases: [] };
  });
  const { providers } = simulatedCatalog('http://127.0.0.1:1');
  const documentJson = JSON.stringify({ providers, models });
  const { revision } = await control.admin('catalog', 'applyCatalog', { documentJson, dryRun: true });
  await control.admin('catalog', 'applyCatalog', { documentJson });
  await control.admin('catalog', 'applyCatalog', { documentJson });
  await control.admin('catalog', 'removeFromCatalog', { id: 'sim/copy-1' });
  await control.admin('catalog', 'addToCatalog', { documentJson });
  const catalog = { type: 'catalog', id: 'catalog', account_id: null };
  const found = await events(null);
  expect(found).toMatchObject([
    {
      ...{ action: 'catalog.applied', ...catalog, before: { object: 'catalog', revision: Number(revision) } },
      after: { revision: Number(revision) + 1, models: { added: { count: 150 }, retired: { count: 0 } } },
    },
    { action: 'catalog.removed', after: { models: { retired: { count: 1, ids: ['sim/copy-1'] } } } },
    { action: 'catalog.added', after: { models: { added: { count: 1, ids: ['sim/copy-1'] } } } },
  ]);
  expect(JSON.stringify(found[0]?.after).length).toBeLessThan(5_000);
});

it('credentials have events with the last four characters, never the value', async () => {
  const value = 'sk-live-0123456789abcdefWXYZ';
  await control.admin('admin', 'setCredential', { name: 'ACME_API_KEY', value: 'short' });
  await control.admin('admin', 'setCredential', { name: 'ACME_API_KEY', value });
  await control.admin('admin', 'removeCredential', { name: 'ACME_API_KEY' });
  const found = await events(null);
  const about = { type: 'credential', id: 'ACME_API_KEY', name: 'ACME_API_KEY' };
  expect(found).toMatchObject([
    { action: 'credential.set', ...about, before: null, after: { object: 'credential', last_four: null } },
    { action: 'credential.set', ...about, before: { last_four: null }, after: { last_four: 'WXYZ' } },
    { action: 'credential.removed', ...about, before: { last_four: 'WXYZ' }, after: null },
  ]);
  expect(JSON.stringify(found)).not.toContain(value.slice(0, 20));
});
