import { expect, it } from 'vitest';
import { administer, insertAccount } from '../fixtures/administration-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';

const control = useControlPlanes();

it("an account's deletion is in the audit logs of the accounts in whose teams it had seats", async () => {
  const admin = administer(control);
  const holder = await insertAccount(control, 'holder');
  const owners = await Promise.all(['first', 'second'].map((name) => insertAccount(control, name)));
  const seats = await Promise.all(
    owners.map(async (account) => await admin.addSeat((await admin.createTeam({ account })).id, holder)),
  );
  const own = await admin.addSeat((await admin.createTeam({ account: holder })).id, holder);
  const removedBefore = await admin.addSeat(
    (await admin.createTeam({ account: owners[0] ?? '' })).id,
    holder,
  );
  await control.admin('teams', 'removeSeat', { seatId: removedBefore.id });
  const keys = await Promise.all(
    seats.map(async ({ id }) => await admin.createKey({ account: holder, seatId: id })),
  );
  for (let round = 0; round < 2; round++)
    await control.admin('accounts', 'deleteAccount', { account: holder });
  const removals = await control.sql`
    SELECT account_id, object_id, object_name, before, after FROM audit_events
    WHERE action = 'seat.removed' AND object_id <> ${removedBefore.id} ORDER BY account_id`;
  const email = 'holder@example.com';
  expect(removals).toEqual(
    seats
      .map((seat, index) => ({
        account_id: owners[index],
        object_id: seat.id,
        object_name: email,
        before: expect.objectContaining({ email, removed_at: null }),
        after: expect.objectContaining({
          email,
          removed_at: expect.any(String),
          revoked_key_ids: [keys[index]?.id],
        }),
      }))
      .toSorted((left, right) => String(left.account_id).localeCompare(String(right.account_id))),
  );
  const [deleted] = await control.sql`SELECT after FROM audit_events WHERE action = 'account.deleted'`;
  expect(deleted?.after).toMatchObject({
    removed_seat_ids: expect.arrayContaining([own.id, ...seats.map(({ id }) => id)]),
  });
});
