import { expect, it } from 'vitest';
import { administer, insertAccount } from '../fixtures/administration-fixture.ts';
import { at, CALL_DEADLINE_MS, useControlPlanes } from '../fixtures/control-planes-fixture.ts';

const control = useControlPlanes({ count: 2 });

const suspend = (account: string, plane = 0) =>
  at(control.admins, plane).call(CALL_DEADLINE_MS, 'accounts', 'suspendAccount', { account });
const resume = (account: string, plane = 0) =>
  at(control.admins, plane).call(CALL_DEADLINE_MS, 'accounts', 'resumeAccount', { account });

async function teamWithSeat(name: string) {
  const owner = await insertAccount(control, `${name}-owner`);
  const member = await insertAccount(control, `${name}-member`);
  const admin = administer(control);
  const team = await admin.createTeam({ account: owner });
  const seat = await admin.addSeat(team.id, member);
  return { owner, member, team, seat };
}

/** Issues keys on both control planes without pause. @returns a function that stops and returns all keys */
function makeKeys(account: string, seatId?: string): () => Promise<{ lookupHash: string }[]> {
  const made: { lookupHash: string }[] = [];
  let isOver = false;
  const lane = async (plane: number) => {
    const admin = administer(control, plane);
    while (!isOver) {
      const key = await admin
        .createKey({ account, ...(seatId === undefined ? {} : { seatId }) })
        .catch(() => undefined);
      if (key !== undefined) made.push(key);
    }
  };
  const lanes = [0, 1, 0, 1].map(lane);
  return async () => {
    isOver = true;
    await Promise.all(lanes);
    return made;
  };
}

async function workingAmong(keys: readonly { lookupHash: string }[]): Promise<number> {
  const { resolve } = administer(control);
  const answers = await Promise.all(keys.map(({ lookupHash }) => resolve(lookupHash)));
  return answers.filter(({ key }) => key !== null).length;
}

it('an account suspended while keys are issued has no active key, and all of them again after resuming', async () => {
  const account = await insertAccount(control, 'racing');
  const stop = makeKeys(account);
  await administer(control).createKey({ account });
  await suspend(account, 1);
  const keys = await stop();
  expect(keys.length).toBeGreaterThan(0);
  expect(await workingAmong(keys)).toBe(0);
  await resume(account);
  expect(await workingAmong(keys)).toBe(keys.length);
});

it("an account suspended while keys are issued leaves none active on its teams' seats", async () => {
  const { owner, member, seat } = await teamWithSeat('seated');
  const stop = makeKeys(member, seat.id);
  await administer(control).createKey({ account: member, seatId: seat.id });
  await suspend(owner, 1);
  const keys = await stop();
  expect(await workingAmong(keys)).toBe(0);
  await resume(owner);
  expect(await workingAmong(keys)).toBe(keys.length);
});

it('a key that depends on two accounts is active exactly when neither is suspended, in any order of changes', async () => {
  const { owner, member, seat } = await teamWithSeat('both');
  const key = await administer(control).createKey({ account: member, seatId: seat.id });
  for (let round = 0; round < 3; round++) {
    await Promise.all([suspend(owner, 0), suspend(member, 1)]);
    expect(await workingAmong([key])).toBe(0);
    await Promise.all([resume(owner, 1), suspend(member, 0)]);
    expect(await workingAmong([key])).toBe(0);
    await Promise.all([resume(owner, 0), resume(member, 1)]);
    expect(await workingAmong([key])).toBe(1);
  }
});

it('a team deleted while seats are added and keys issued has no seat and no active key', async () => {
  const { member, team, seat } = await teamWithSeat('gone');
  const stop = makeKeys(member, seat.id);
  await administer(control).createKey({ account: member, seatId: seat.id });
  const others = await Promise.all(
    Array.from({ length: 8 }, (_, index) => insertAccount(control, `gone-${index}`)),
  );
  const added = others.map((account, index) =>
    administer(control, index % 2)
      .addSeat(team.id, account)
      .catch(() => undefined),
  );
  await at(control.admins, 1).call(CALL_DEADLINE_MS, 'teams', 'deleteTeam', { teamId: team.id });
  await Promise.all(added);
  expect(await workingAmong(await stop())).toBe(0);
  expect(
    await control.query('SELECT id FROM seats WHERE team_id = $1 AND removed_at IS NULL', [team.id]),
  ).toEqual([]);
});
