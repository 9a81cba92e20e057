import { expect, test } from 'vitest';
import type { Team } from '../../../../wire/teams.ts';
import type { Pool } from '../../../../wire/usage.ts';
import { poolOwnerLabel } from './pool-owner-label.ts';
import { listTransferTargets } from './transfer-targets.ts';

const seat = (id: string, email: string, isOwn: boolean) => ({
  id,
  email,
  isOwn,
  createdAtMs: 1,
  activeKeys: 0,
  requestsThisMonth: 0,
  costThisMonthUsd: '0',
});
const team: Team = {
  id: 'team_1',
  name: 'Search',
  role: 'owner',
  requestsPerMinute: 60,
  createdAtMs: 1,
  pools: [],
  invitations: [],
  seats: [seat('seat_1', 'ada@example.com', true), seat('seat_2', 'bob@example.com', false)],
};
const pool = (scope: Pool['scope'], ownerId: string): Pool => ({
  id: 'pool_1',
  name: 'Budget',
  scope,
  ownerId,
  includedUsd: '5',
  usedUsd: '0',
  leftUsd: '5',
  heldUsd: '0',
  remainingUsd: '5',
  resetsAtMs: null,
});
const ids = (from: Pool) => listTransferTargets(team, from).map(({ id }) => id);

test('money is offered every place of the team but the one where it is', () => {
  expect(ids(pool('account', 'acc_1'))).toEqual(['team_1', 'seat_1', 'seat_2']);
  expect(ids(pool('team', 'team_1'))).toEqual(['seat_1', 'seat_2', 'account']);
  expect(ids(pool('seat', 'seat_2'))).toEqual(['team_1', 'seat_1', 'account']);
});

test('the account is meant by naming nobody', () => {
  expect(listTransferTargets(team, pool('team', 'team_1')).at(-1)?.to).toBeUndefined();
});

test('a pool is called after whose it is', () => {
  expect(poolOwnerLabel(pool('seat', 'seat_1'), team)).toBe('Your seat');
  expect(poolOwnerLabel(pool('seat', 'seat_2'), team)).toBe('bob@example.com');
  expect(poolOwnerLabel(pool('seat', 'seat_9'), team)).toBe('Former seat');
  expect(poolOwnerLabel(pool('team', 'team_1'), team)).toBe('Team');
});
