import { expect, test } from 'vitest';
import type { Pool } from '../../../../wire/usage.ts';
import { buildPool, buildSeat, buildTeam } from '../../wire-fixture.ts';
import { poolOwnerLabel } from './pool-owner-label.ts';
import { listTransferTargets } from './transfer-targets.ts';

const team = buildTeam({
  seats: [buildSeat({ isOwn: true }), buildSeat({ id: 'seat_2', email: 'bob@example.com' })],
});
const pool = (scope: Pool['scope'], ownerId: string) => buildPool({ scope, ownerId });
const ids = (from: Pool) => listTransferTargets(team, from).map(({ id }) => id);

test('the targets of a transfer are the account, the team and its seats, without the present owner', () => {
  expect(ids(pool('account', 'acc_1'))).toEqual(['team_1', 'seat_1', 'seat_2']);
  expect(ids(pool('team', 'team_1'))).toEqual(['seat_1', 'seat_2', 'account']);
  expect(ids(pool('seat', 'seat_2'))).toEqual(['team_1', 'seat_1', 'account']);
});

test('the account as a target has no id', () => {
  expect(listTransferTargets(team, pool('team', 'team_1')).at(-1)?.to).toBeUndefined();
});

test('the label of a pool names its owner', () => {
  expect(poolOwnerLabel(pool('seat', 'seat_1'), team)).toBe('Your seat');
  expect(poolOwnerLabel(pool('seat', 'seat_2'), team)).toBe('bob@example.com');
  expect(poolOwnerLabel(pool('seat', 'seat_9'), team)).toBe('Former seat');
  expect(poolOwnerLabel(pool('team', 'team_1'), team)).toBe('Team');
});
