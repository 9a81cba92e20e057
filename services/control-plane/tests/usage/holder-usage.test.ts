import { GrpcStatus } from '@model-gateway/contracts';
import { settleRows, type UsageRowChanges, usageRow } from '@model-gateway/test-kit/usage-row';
import { beforeAll, expect, it } from 'vitest';
import { administer, expectRefusal, insertAccount } from '../fixtures/administration-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { holderUsageOf } from '../fixtures/holder-usage-fixture.ts';

const OWNER = 'acct_test';

const control = useControlPlanes();
let member: string;
let stranger: string;
let seat: { id: string; teamId: string };
let othersSeat: string;

beforeAll(async () => {
  const admin = administer(control);
  member = await insertAccount(control, 'member');
  stranger = await insertAccount(control, 'stranger');
  const team = await admin.createTeam();
  seat = { id: (await admin.addSeat(team.id, member)).id, teamId: team.id };
  othersSeat = (await admin.addSeat(team.id, await insertAccount(control, 'colleague'))).id;
  await settle({ requestId: 'req_own', accountId: member });
  await settle({ requestId: 'req_seat', accountId: member, seatId: seat.id, teamId: seat.teamId });
  await settle({ requestId: 'req_stranger', accountId: stranger });
});

async function settle(request: UsageRowChanges) {
  await settleRows(control.query, [usageRow({ cachedInputTokens: 4, outputTokens: 20, ...request })]);
}

const requestsOf = async (accountId: string, seatId?: string) => {
  const { totals } = await holderUsageOf(control, accountId).usage(seatId === undefined ? {} : { seatId });
  return totals?.requests;
};

it("a holder's usage is what the account pays itself, without its seats", async () => {
  expect(await requestsOf(member)).toBe('1');
  expect(await requestsOf(OWNER)).toBe('0');
});

it("usage of a seat is readable by its holder and the team's owner, with the paying pools", async () => {
  await control.sql`
    INSERT INTO pools (id, name, owner, included, remaining) VALUES ('pool_seat', 'Seat', 'seat:' || ${seat.id}, 5, 5)`;
  expect(await requestsOf(member, seat.id)).toBe('1');
  const { totals, pools } = await holderUsageOf(control, OWNER).usage({ seatId: seat.id });
  expect(totals?.requests).toBe('1');
  expect(pools.map(({ id }) => id)).toEqual(['pool_seat']);
});

it("usage of others' seats is not found", async () => {
  for (const [account, seatId] of [
    [stranger, seat.id],
    [member, othersSeat],
    [member, 'seat_nowhere'],
    [member, ''],
  ] as const) {
    await expectRefusal(holderUsageOf(control, account).usage({ seatId }), GrpcStatus.NOT_FOUND);
  }
});

it('usage of a removed seat stays readable', async () => {
  const admin = administer(control);
  const account = await insertAccount(control, 'former');
  const { id } = await admin.addSeat(seat.teamId, account);
  await settle({ requestId: 'req_former', accountId: account, seatId: id, teamId: seat.teamId });
  await admin.removeSeat(id);
  expect(await requestsOf(account, id)).toBe('1');
  expect(await requestsOf(OWNER, id)).toBe('1');
  const { requests } = await holderUsageOf(control, account).requests({ seatId: id });
  expect(requests.map(({ requestId }) => requestId)).toEqual(['req_former']);
});

it("a former member sees nothing of the team's money", async () => {
  const admin = administer(control);
  const account = await insertAccount(control, 'dismissed');
  const team = await admin.createTeam();
  const { id } = await admin.addSeat(team.id, account);
  await control.sql`
    INSERT INTO pools (id, name, owner, included, remaining) VALUES ('pool_team', 'Team', 'team:' || ${team.id}, 5, 5)`;
  const poolsSeenBy = async (asker: string) =>
    (await holderUsageOf(control, asker).usage({ seatId: id })).pools.map((pool) => pool.id);
  expect(await poolsSeenBy(account)).toEqual(['pool_team']);
  await admin.removeSeat(id);
  expect(await poolsSeenBy(account)).toEqual([]);
  expect(await poolsSeenBy(OWNER)).toEqual(['pool_team']);
});

it('a holder reads the receipt of any request of the account, on a seat or not', async () => {
  const holder = holderUsageOf(control, member);
  const own = await holder.receipt('req_own');
  expect(own.receipt).toMatchObject({ requestId: 'req_own', keyId: 'key_test' });
  const onSeat = await holder.receipt('req_seat');
  expect(onSeat.receipt?.owner).toMatchObject({ accountId: member, seatId: seat.id });
});

it("a holder's receipt names its key; a deleted key was a playground key", async () => {
  const { id } = await administer(control).createKey({ account: stranger, name: 'Nightly' });
  await settle({ requestId: 'req_named', accountId: stranger, keyId: id });
  const holder = holderUsageOf(control, stranger);
  expect(await holder.receipt('req_named')).toMatchObject({ keyName: 'Nightly', keyKind: 'issued' });
  expect(await holder.receipt('req_stranger')).toMatchObject({
    keyName: 'Playground',
    keyKind: 'playground',
  });
});

it("others' receipts are not found, not even for the team's owner", async () => {
  for (const [account, requestId] of [
    [stranger, 'req_own'],
    [member, 'req_stranger'],
    [OWNER, 'req_seat'],
    [member, 'req_nowhere'],
  ] as const) {
    const asked = holderUsageOf(control, account).receipt(requestId);
    await expectRefusal(asked, GrpcStatus.NOT_FOUND);
  }
});

it('a receipt is refused to a call that names no account', async () => {
  await expectRefusal(holderUsageOf(control, '').receipt('req_own'), GrpcStatus.INVALID_ARGUMENT);
});
