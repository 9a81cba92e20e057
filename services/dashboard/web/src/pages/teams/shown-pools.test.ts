import { expect, test } from 'vitest';
import type { Team } from '../../../../wire/teams.ts';
import type { Pool } from '../../../../wire/usage.ts';
import { listShownPools } from './shown-pools.ts';

const pool = (
  id: string,
  scope: Pool['scope'],
  ownerId: string,
  remainingUsd: string,
  heldUsd = '0',
): Pool => ({
  id,
  name: 'Budget',
  scope,
  ownerId,
  includedUsd: '5',
  usedUsd: '0',
  leftUsd: '5',
  heldUsd,
  remainingUsd,
  resetsAtMs: null,
});
const seat = {
  id: 'seat_1',
  email: 'ada@example.com',
  isOwn: false,
  createdAtMs: 1,
  activeKeys: 0,
  requestsThisMonth: 0,
  costThisMonthUsd: '0',
};
const teamWith = (pools: Pool[]): Team => ({
  id: 'team_1',
  name: 'Search',
  role: 'owner',
  requestsPerMinute: 60,
  createdAtMs: 1,
  pools,
  seats: [seat],
  invitations: [],
});
const shown = (pools: Pool[]) => listShownPools(teamWith(pools)).map(({ id }) => id);

test('what a removed seat has left over is shown last, so that it can be moved away', () => {
  expect(
    shown([
      pool('former', 'seat', 'seat_9', '2'),
      pool('held', 'seat', 'seat_9', '0', '1'),
      pool('team', 'team', 'team_1', '5'),
    ]),
  ).toEqual(['team', 'former', 'held']);
});

test('an empty pool is shown as long as somebody could use it, and no longer', () => {
  expect(
    shown([pool('seat', 'seat', 'seat_1', '0'), pool('former', 'seat', 'seat_9', '0.000000000')]),
  ).toEqual(['seat']);
});
