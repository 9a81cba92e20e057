import type { Team } from '../../../../wire/teams.ts';
import type { Pool } from '../../../../wire/usage.ts';

/** Returns true if the pool belongs to a removed seat, where nobody can use its balance. */
export function isOfFormerSeat(pool: Pool, team: Team): boolean {
  return pool.scope === 'seat' && team.seats.every(({ id }) => id !== pool.ownerId);
}

/** Lists the pools to show; those of removed seats last, and only with a balance. */
export function listShownPools(team: Team): Pool[] {
  const usable = team.pools.filter((pool) => !isOfFormerSeat(pool, team));
  const leftOver = team.pools.filter(
    (pool) => isOfFormerSeat(pool, team) && (hasMoney(pool) || isHeld(pool)),
  );
  return [...usable, ...leftOver];
}

/** Returns true if money can be moved out of the pool. An unlimited pool has no amount to move. */
export function hasMoney(pool: Pool): boolean {
  return Number(pool.remainingUsd) > 0;
}

function isHeld(pool: Pool): boolean {
  return Number(pool.heldUsd) > 0;
}
