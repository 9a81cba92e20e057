import { expect, test } from 'vitest';
import type { KeysResponse } from '../../../../wire/keys.ts';
import type { TeamsResponse } from '../../../../wire/teams.ts';
import { findUsageOwner, maySeeRequests } from './find-usage-owner.ts';

const seat = { id: 'own', teamId: 't', teamName: 'Search' };
const keys: KeysResponse = {
  seats: [seat],
  keys: [
    {
      id: 'k',
      name: 'Former',
      displayPrefix: 'gw_live_abcdefgh',
      kind: 'issued',
      createdAtMs: 0,
      lastUsedAtMs: null,
      requestsThisMonth: 0,
      revokedAtMs: 1,
      seat: { ...seat, id: 'former' },
    },
  ],
};
const counts = { createdAtMs: 0, activeKeys: 0, requestsThisMonth: 0, costThisMonthUsd: '0.000000000' };
const teams: TeamsResponse = {
  accountPools: [],
  offeredSeats: [],
  teams: [
    {
      id: 't',
      name: 'Search',
      role: 'owner',
      requestsPerMinute: 1,
      createdAtMs: 0,
      pools: [],
      invitations: [],
      seats: [
        { id: 'own', email: 'ada@example.com', isOwn: true, ...counts },
        { id: 'other', email: 'grace@example.com', isOwn: false, ...counts },
      ],
    },
  ],
};

test('the requests of the account and of its own seats are shown, also of one that was removed', () => {
  for (const seatId of [undefined, 'own', 'former']) {
    expect(maySeeRequests(findUsageOwner(seatId, keys, teams))).toBe(true);
  }
});

test('the requests of somebody else’s seat are never asked for, and it is called by its name', () => {
  const owner = findUsageOwner('other', keys, teams);
  expect(owner).toEqual({ kind: 'other-seat', email: 'grace@example.com', teamName: 'Search' });
  expect(maySeeRequests(owner)).toBe(false);
  expect(maySeeRequests(findUsageOwner('nobody’s', keys, teams))).toBe(false);
  expect(maySeeRequests(findUsageOwner('other', undefined, undefined))).toBe(false);
});
