import { checkLimit } from '../accounts/check-limit.ts';
import type { Actor } from '../actors/actor.ts';
import { checkTeamName } from './create-team.ts';
import type { SetTeamLimitContext } from './set-team-limit.ts';
import type { StoredTeam } from './stored-team.ts';

/**
 * Changes the given members of a team, and returns when no data plane uses an old limit, as for a revocation.
 * @param request.externalId null: none
 * @returns `unconfirmed`: data planes that did not confirm in time
 * @throws ControlPlaneError not_found, invalid_argument (name, limit), already_exists (external id)
 */
export async function changeTeam(
  { teamStore, watcherWait }: SetTeamLimitContext,
  actor: Actor,
  request: {
    teamId: string;
    name?: string | undefined;
    requestsPerMinute?: number | undefined;
    externalId?: string | null | undefined;
  },
): Promise<{ team: StoredTeam; unconfirmed: string[] }> {
  const { externalId, name, requestsPerMinute: limit, teamId } = request;
  const changes = {
    ...(name !== undefined && { name: checkTeamName(name) }),
    ...(limit !== undefined && { requestsPerMinute: checkLimit('requests_per_minute', limit) }),
    ...(externalId !== undefined && { externalId }),
  };
  const { id } = await teamStore.requireNotDeleted(teamId);
  const { revision, team } = await teamStore.change(actor, id, changes);
  return { team, unconfirmed: revision === undefined ? [] : await watcherWait.until(revision) };
}
