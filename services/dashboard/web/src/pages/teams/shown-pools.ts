import type { Team } from '../../../../wire/teams.ts';
import type { Pool } from '../../../../wire/usage.ts';

/** Of a seat that has been removed: nobody can use its money where it is. */
export function isOfFormerSeat(pool: Pool, team: Team): boolean {
  return pool.scope === 'seat' && team.seats.every(({ id }) => id !== pool.ownerId);
}

/** The pools of a team to look at: those of former seats last, and only while there is money in them. */
export function shownPools(team: Team): Pool[] {
  const usable = team.pools.filter((pool) => !isOfFormerSeat(pool, team));
  const leftOver = team.pools.filter(
    (pool) => isOfFormerSeat(pool, team) && (hasMoney(pool) || isHeld(pool)),
  );
  return [...usable, ...leftOver];
}

/** There is something in it that can be moved. */
export function hasMoney(pool: Pool): boolean {
  return Number(pool.remainingUsd) > 0;
}

function isHeld(pool: Pool): boolean {
  return Number(pool.heldUsd) > 0;
}
