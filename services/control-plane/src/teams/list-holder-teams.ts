import { resolvePayer } from '@model-gateway/shared';
import { hasRole } from '@model-gateway/shared/access';
import { visibilityOf } from '../access/visibility.ts';
import type { UserActor } from '../actors/actor.ts';
import type { PoolStore, StoredPool } from '../pools/pool-store.ts';
import type { HolderSeat, HolderTeamStore } from './holder-team-store.ts';
import type { InvitationStore } from './invitation-store.ts';
import type { StoredInvitation } from './stored-invitation.ts';
import type { StoredTeam } from './stored-team.ts';

export interface ListHolderTeamsContext {
  holderTeamStore: HolderTeamStore;
  poolStore: Pick<PoolStore, 'listOfTeams' | 'ofPayer'>;
  invitationStore: Pick<InvitationStore, 'listOfTeams' | 'offeredTo'>;
}

export interface HolderTeam {
  team: StoredTeam;
  role: 'owner' | 'member';
  pools: StoredPool[];
  seats: HolderSeat[];
  invitations: StoredInvitation[];
}

/**
 * Lists an account's teams, oldest first, and its invitations. An owned team comes with all seats and pools
 * (those of removed seats while they hold money); any other team with the account's seat, and the pools of
 * that seat and of the team. Only an admin sees seats of others, and invitations.
 */
export async function listHolderTeams(
  { holderTeamStore, invitationStore, poolStore }: ListHolderTeamsContext,
  actor: UserActor,
  signal: AbortSignal,
) {
  const visible = visibilityOf(actor);
  const { accountId } = visible;
  const isAdmin = hasRole(actor.role ?? 'viewer', 'admin');
  const [teams, seats, accountPools, offeredSeats] = await Promise.all([
    holderTeamStore.teamsOf(accountId, signal),
    holderTeamStore.seatsSeenBy(visible, { ownOnly: !isAdmin }, signal),
    poolStore.ofPayer(resolvePayer({ accountId })),
    isAdmin ? invitationStore.offeredTo(accountId) : [],
  ]);
  const managed = isAdmin ? teams.filter(({ ownerAccountId }) => ownerAccountId === accountId) : [];
  const [pools, invitations] = await Promise.all([
    poolStore.listOfTeams(teams.map(({ id }) => id)),
    invitationStore.listOfTeams(managed.map(({ id }) => id)),
  ]);
  const seenTeams = teams.map((team): HolderTeam => {
    const isOwner = team.ownerAccountId === accountId;
    const seen = seats.filter(({ teamId }) => teamId === team.id);
    const seatIds = new Set(seen.map(({ id }) => id));
    const isSeen = ({ owner, remaining, held }: StoredPool) =>
      owner.kind === 'team' || seatIds.has(owner.id) || (isAdmin && isOwner && remaining + held > 0n);
    return {
      team,
      role: isOwner ? 'owner' : 'member',
      pools: (pools.get(team.id) ?? []).filter(isSeen),
      seats: seen,
      invitations: invitations.filter(({ teamId }) => teamId === team.id),
    };
  });
  return { teams: seenTeams, accountPools, offeredSeats };
}
