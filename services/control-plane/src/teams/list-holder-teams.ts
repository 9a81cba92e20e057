import type { PoolStore, StoredPool } from '../pools/pool-store.ts';
import type { HolderSeat, HolderTeamStore } from './holder-team-store.ts';
import type { InvitationStore, OfferedSeat, StoredInvitation } from './invitation-store.ts';
import type { StoredTeam } from './team-store.ts';

export interface ListHolderTeamsContext {
  holderTeamStore: HolderTeamStore;
  poolStore: Pick<PoolStore, 'listOfTeams' | 'ofPayer'>;
  invitationStore: Pick<InvitationStore, 'listOfTeams' | 'offeredTo'>;
}

/** A team, and of it what the account may see. */
export interface HolderTeam {
  team: StoredTeam;
  role: 'owner' | 'member';
  pools: StoredPool[];
  seats: HolderSeat[];
  /** Open ones, for the owner alone. */
  invitations: StoredInvitation[];
}

export interface HolderTeams {
  teams: HolderTeam[];
  /** What the account itself draws on. */
  accountPools: StoredPool[];
  /** To the account's address, if it is proven. */
  offeredSeats: OfferedSeat[];
}

/**
 * The teams that an account owns, with all of their seats and pools, removed seats' pools included as long as
 * there is money in them; and those where it has a seat, with that seat, its pools and the team's. Oldest
 * first. And the seats that it is invited to.
 */
export async function listHolderTeams(
  { holderTeamStore, invitationStore, poolStore }: ListHolderTeamsContext,
  accountId: string,
  signal: AbortSignal,
): Promise<HolderTeams> {
  const [teams, seats, accountPools, offeredSeats] = await Promise.all([
    holderTeamStore.teamsOf(accountId, signal),
    holderTeamStore.seatsSeenBy(accountId, signal),
    poolStore.ofPayer({ accountId, seatId: null, teamId: null }),
    invitationStore.offeredTo(accountId),
  ]);
  const owned = teams.filter(({ ownerAccountId }) => ownerAccountId === accountId);
  const [pools, invitations] = await Promise.all([
    poolStore.listOfTeams(teams.map(({ id }) => id)),
    invitationStore.listOfTeams(owned.map(({ id }) => id)),
  ]);
  const seenTeams = teams.map((team): HolderTeam => {
    const isOwner = team.ownerAccountId === accountId;
    const seen = seats.filter(({ teamId }) => teamId === team.id);
    const seatIds = new Set(seen.map(({ id }) => id));
    const isSeen = ({ scope, ownerId, remaining, held }: StoredPool) =>
      scope === 'team' || seatIds.has(ownerId) || (isOwner && remaining + held > 0n);
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
