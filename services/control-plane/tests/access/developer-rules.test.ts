import { GrpcStatus } from '@model-gateway/contracts';
import { expect, it } from 'vitest';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { holderOf } from '../fixtures/holder-fixture.ts';
import { objectsOf, staffedAccount } from '../fixtures/roles-fixture.ts';

const control = useControlPlanes();

it('a developer sees the rules of seats of the account, but not those of seats and end users of others', async () => {
  const [staff, others] = [await staffedAccount(control), await staffedAccount(control)];
  const { admin, developer } = staff.signIns;
  const own = await objectsOf(control, staff).seat();
  const teamId = await objectsOf(control, staff).team();
  const seat = `seat_${teamId}`;
  await control.sql`INSERT INTO seats (id, team_id, account_id) VALUES (${seat}, ${teamId}, ${others.id})`;
  const ofEndUser = { kind: 'end_user', id: staff.id, endUser: 'ada' };
  const read = (owner: { kind: string; id: string; endUser?: string }, signInId: string) =>
    holderOf(control, staff.id).read('getHolderRules', { accountId: staff.id, owner }, signInId);
  await expect(read({ kind: 'seat', id: seat }, developer)).rejects.toMatchObject({
    code: GrpcStatus.NOT_FOUND,
  });
  await expect(read(ofEndUser, developer)).rejects.toMatchObject({ code: GrpcStatus.PERMISSION_DENIED });
  expect(await read({ kind: 'seat', id: own }, developer)).toBeDefined();
  for (const owner of [{ kind: 'seat', id: seat }, ofEndUser]) expect(await read(owner, admin)).toBeDefined();
});
