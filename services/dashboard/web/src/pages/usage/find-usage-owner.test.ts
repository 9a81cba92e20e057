import { expect, test } from 'vitest';
import type { KeysResponse } from '../../../../wire/keys.ts';
import type { TeamsResponse } from '../../../../wire/teams.ts';
import { buildKey, buildSeat, buildTeam } from '../../wire-fixture.ts';
import { findUsageOwner, maySeeRequests } from './find-usage-owner.ts';

const seat = { id: 'own', teamId: 't', teamName: 'Search' };
const keys: KeysResponse = {
  seats: [seat],
  keys: [buildKey({ revokedAtMs: 1, seat: { ...seat, id: 'former' } })],
};
const seats = [buildSeat({ id: 'own', isOwn: true }), buildSeat({ id: 'other', email: 'grace@example.com' })];
const teams: TeamsResponse = { accountPools: [], offeredSeats: [], teams: [buildTeam({ seats })] };

test('the requests of the account and of its seats are shown, also of a removed seat', () => {
  for (const seatId of [undefined, 'own', 'former']) {
    expect(maySeeRequests(findUsageOwner(seatId, keys, teams))).toBe(true);
  }
});

test('the requests of somebody else’s seat are not shown, but its address is', () => {
  const owner = findUsageOwner('other', keys, teams);
  expect(owner).toEqual({ kind: 'other-seat', email: 'grace@example.com', teamName: 'Search' });
  expect(maySeeRequests(owner)).toBe(false);
  expect(maySeeRequests(findUsageOwner('nobody’s', keys, teams))).toBe(false);
  expect(maySeeRequests(findUsageOwner('other', undefined, undefined))).toBe(false);
});
