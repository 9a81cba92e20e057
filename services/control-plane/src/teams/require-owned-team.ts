import { ControlPlaneError } from '../errors/control-plane-error.ts';
import type { SeatStore } from './seat-store.ts';
import type { StoredTeam, TeamStore } from './team-store.ts';

export interface OwnedTeamContext {
  teamStore: Pick<TeamStore, 'find'>;
  seatStore: Pick<SeatStore, 'findActive'>;
}

/**
 * A team that the account owns. For whoever has no seat there it is as if it did not exist.
 * @throws ControlPlaneError not_found, permission_denied (a member)
 */
export async function requireOwnedTeam(
  { teamStore, seatStore }: OwnedTeamContext,
  accountId: string,
  teamId: string,
): Promise<StoredTeam> {
  const team = await teamStore.find(teamId);
  if (team?.ownerAccountId === accountId) return team;
  if (team === null || (await seatStore.findActive(teamId, accountId)) === null) {
    throw new ControlPlaneError('not_found', `there is no team ${teamId}`);
  }
  throw new ControlPlaneError('permission_denied', 'only the owner of a team may do this');
}
