import type { Team } from '../../../../wire/teams.ts';
import type { Pool } from '../../../../wire/usage.ts';

/** Returns true if the pool belongs to a seat that was removed: nobody can use its money there. */
export function isOfFormerSeat(pool: Pool, team: Team): boolean {
  return pool.scope === 'seat' && team.seats.every(({ id }) => id !== pool.ownerId);
}

/** The pools of a team that are shown; those of removed seats last, and only with money in them. */
export function shownPools(team: Team): Pool[] {
  const usable = team.pools.filter((pool) => !isOfFormerSeat(pool, team));
  const leftOver = team.pools.filter(
    (pool) => isOfFormerSeat(pool, team) && (hasMoney(pool) || isHeld(pool)),
  );
  return [...usable, ...leftOver];
}

export function hasMoney(pool: Pool): boolean {
  return Number(pool.remainingUsd) > 0;
}

function isHeld(pool: Pool): boolean {
  return Number(pool.heldUsd) > 0;
}
