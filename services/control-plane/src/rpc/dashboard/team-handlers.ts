import type { DashboardServiceHandlers } from '@model-gateway/contracts';
import type { ControlPlaneContext } from '../../context.ts';
import { moveMoney } from '../../owned-pools/move-money.ts';
import { poolMessage } from '../../pools/pool-message.ts';
import { acceptInvitation } from '../../teams/accept-invitation.ts';
import { createTeam } from '../../teams/create-team.ts';
import { findOfferedSeat } from '../../teams/find-offered-seat.ts';
import {
  invitationMessage,
  newInvitationMessage,
  offeredSeatMessage,
} from '../../teams/invitation-message.ts';
import { inviteToHolderTeam } from '../../teams/invite-to-holder-team.ts';
import { type HolderTeam, listHolderTeams } from '../../teams/list-holder-teams.ts';
import { requireOwnedInvitation, requireOwnedSeat } from '../../teams/ownership.ts';
import { removeSeat } from '../../teams/remove-seat.ts';
import { seatMessage } from '../../teams/seat-message.ts';
import { setHolderTeamLimit } from '../../teams/set-holder-team-limit.ts';
import { teamMessage } from '../../teams/team-message.ts';
import { withdrawInvitation } from '../../teams/withdraw-invitation.ts';
import { change, read } from '../unary.ts';

export function teamHandlers(
  context: ControlPlaneContext,
): Pick<
  DashboardServiceHandlers,
  | 'ListHolderTeams'
  | 'CreateHolderTeam'
  | 'SetHolderTeamLimit'
  | 'InviteToHolderTeam'
  | 'WithdrawHolderInvitation'
  | 'FindOfferedSeat'
  | 'AcceptInvitation'
  | 'RemoveHolderSeat'
  | 'MoveMoney'
> {
  return {
    ListHolderTeams: read(context, 'ListHolderTeams', async ({ accountId }, signal) => {
      const { teams, accountPools, offeredSeats } = await listHolderTeams(context, accountId, signal);
      return {
        teams: teams.map((team) => holderTeamMessage(team, accountId)),
        accountPools: accountPools.map(poolMessage),
        offeredSeats: offeredSeats.map(offeredSeatMessage),
      };
    }),
    CreateHolderTeam: change(context, 'CreateHolderTeam', 'user', async (actor, { name }) =>
      teamMessage(await createTeam(context, actor, { account: actor.accountId, name })),
    ),
    SetHolderTeamLimit: change(context, 'SetHolderTeamLimit', 'user', async (actor, request) => {
      const { team, unconfirmed } = await setHolderTeamLimit(context, actor, request);
      return { team: teamMessage(team), unconfirmedInstances: unconfirmed };
    }),
    InviteToHolderTeam: change(context, 'InviteToHolderTeam', 'user', async (actor, request) => {
      const given = await inviteToHolderTeam(context, actor, request);
      return 'seat' in given
        ? { seat: seatMessage(given.seat) }
        : { invitation: newInvitationMessage(given) };
    }),
    WithdrawHolderInvitation: change(context, 'WithdrawHolderInvitation', 'user', async (actor, request) => {
      const { id } = await requireOwnedInvitation(context, actor.accountId, request.invitationId);
      return invitationMessage(await withdrawInvitation(context, actor, { invitationId: id }));
    }),
    FindOfferedSeat: read(context, 'FindOfferedSeat', async ({ token }) =>
      offeredSeatMessage(await findOfferedSeat(context, token)),
    ),
    AcceptInvitation: change(context, 'AcceptInvitation', 'user', async (actor, request) =>
      seatMessage(await acceptInvitation(context, actor, request)),
    ),
    RemoveHolderSeat: change(context, 'RemoveHolderSeat', 'user', async (actor, { seatId }) => {
      const { id } = await requireOwnedSeat(context, actor.accountId, seatId);
      const { seat, revokedKeys, unconfirmed } = await removeSeat(context, actor, { seatId: id });
      return { seat: seatMessage(seat), revokedKeyIds: revokedKeys, unconfirmedInstances: unconfirmed };
    }),
    MoveMoney: change(context, 'MoveMoney', 'user', async (actor, request) => {
      const { from, to } = await moveMoney(context, actor, request);
      return { from: poolMessage(from), to: poolMessage(to) };
    }),
  };
}

function holderTeamMessage({ team, role, pools, seats, invitations }: HolderTeam, accountId: string) {
  return {
    team: teamMessage(team),
    role,
    pools: pools.map(poolMessage),
    seats: seats.map((seat) => ({
      seat: seatMessage(seat),
      requestsThisMonth: String(seat.requestsThisMonth),
      costThisMonth: String(seat.costThisMonth),
      activeKeys: seat.activeKeys,
      isOwn: seat.accountId === accountId,
    })),
    invitations: invitations.map(invitationMessage),
  };
}
