import { expect, test } from 'vitest';
import type { Pool } from '../../../../wire/usage.ts';
import { buildPool, buildSeat, buildTeam } from '../../wire-fixture.ts';
import { listShownPools } from './shown-pools.ts';

const pool = (id: string, scope: Pool['scope'], ownerId: string, remainingUsd: string, heldUsd = '0') =>
  buildPool({ id, scope, ownerId, heldUsd, remainingUsd });
const shown = (pools: Pool[]) =>
  listShownPools(buildTeam({ pools, seats: [buildSeat()] })).map(({ id }) => id);

test('a pool of a removed seat is shown last while it has a balance, so that it can be moved', () => {
  expect(
    shown([
      pool('former', 'seat', 'seat_9', '2'),
      pool('held', 'seat', 'seat_9', '0', '1'),
      pool('team', 'team', 'team_1', '5'),
    ]),
  ).toEqual(['team', 'former', 'held']);
});

test('an empty pool is shown unless its seat is removed', () => {
  expect(
    shown([pool('seat', 'seat', 'seat_1', '0'), pool('former', 'seat', 'seat_9', '0.000000000')]),
  ).toEqual(['seat']);
});
