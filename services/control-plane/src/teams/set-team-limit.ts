import { checkLimit } from '../accounts/check-limit.ts';
import type { Actor } from '../actors/actor.ts';
import type { WatcherWait } from '../data-planes/watcher-wait.ts';
import type { StoredTeam } from './stored-team.ts';
import type { TeamStore } from './team-store.ts';

export interface SetTeamLimitContext {
  teamStore: TeamStore;
  watcherWait: WatcherWait;
}

/**
 * Changes a team's limit, and returns when no data plane uses the old one, as for a revocation.
 * @returns `unconfirmed`: data planes that did not confirm in time
 * @throws ControlPlaneError not_found, invalid_argument
 */
export async function setTeamLimit(
  { teamStore, watcherWait }: SetTeamLimitContext,
  actor: Actor,
  request: { teamId: string; requestsPerMinute: number },
): Promise<{ team: StoredTeam; unconfirmed: string[] }> {
  const requestsPerMinute = checkLimit('requests_per_minute', request.requestsPerMinute);
  const { id } = await teamStore.requireNotDeleted(request.teamId);
  const { team, revision } = await teamStore.change(actor, id, { requestsPerMinute });
  const unconfirmed = revision === undefined ? [] : await watcherWait.until(revision);
  return { team, unconfirmed };
}
