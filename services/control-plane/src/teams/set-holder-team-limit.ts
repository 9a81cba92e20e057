import { TEAM_REQUESTS_PER_MINUTE } from '@model-gateway/shared';
import type { UserActor } from '../actors/actor.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { type OwnedTeamContext, requireOwnedTeam } from './ownership.ts';
import { type SetTeamLimitContext, setTeamLimit } from './set-team-limit.ts';
import type { StoredTeam } from './stored-team.ts';

/**
 * Changes a team's limit for its owner, never above the default.
 * @throws ControlPlaneError not_found, permission_denied (member), invalid_argument
 */
export async function setHolderTeamLimit(
  context: SetTeamLimitContext & OwnedTeamContext,
  actor: UserActor,
  { teamId, requestsPerMinute }: { teamId: string; requestsPerMinute: number },
): Promise<{ team: StoredTeam; unconfirmed: string[] }> {
  await requireOwnedTeam(context, actor.accountId, teamId);
  if (requestsPerMinute < 1 || requestsPerMinute > TEAM_REQUESTS_PER_MINUTE) {
    throw invalidArgument(
      `a team's limit is 1 to ${TEAM_REQUESTS_PER_MINUTE} requests per minute; an operator can set more`,
    );
  }
  return await setTeamLimit(context, actor, { teamId, requestsPerMinute });
}
