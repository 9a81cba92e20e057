import type { Team } from '../../../../wire/teams.ts';
import type { Pool } from '../../../../wire/usage.ts';

/** Names the owner of a team's pool; a seat by its e-mail address. */
export function poolOwnerLabel(pool: Pool, team: Team): string {
  if (pool.scope === 'account') return 'Your account';
  if (pool.scope === 'team') return 'Team';
  const seat = team.seats.find(({ id }) => id === pool.ownerId);
  if (seat === undefined) return 'Former seat';
  return seat.isOwn ? 'Your seat' : seat.email;
}
