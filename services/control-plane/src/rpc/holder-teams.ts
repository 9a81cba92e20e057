import type { DashboardServiceHandlers } from '@model-gateway/contracts';
import type { ControlPlaneContext } from '../context.ts';
import { poolMessage } from '../pools/pool-message.ts';
import { acceptInvitation } from '../teams/accept-invitation.ts';
import { createTeam } from '../teams/create-team.ts';
import { findOfferedSeat } from '../teams/find-offered-seat.ts';
import { invitationMessage, newInvitationMessage, offeredSeatMessage } from '../teams/invitation-message.ts';
import { inviteToHolderTeam } from '../teams/invite-to-holder-team.ts';
import { type HolderTeam, listHolderTeams } from '../teams/list-holder-teams.ts';
import { requireOwnedInvitation, requireOwnedSeat } from '../teams/ownership.ts';
import { removeSeat } from '../teams/remove-seat.ts';
import { seatMessage } from '../teams/seat-message.ts';
import { setHolderTeamLimit } from '../teams/set-holder-team-limit.ts';
import { teamMessage } from '../teams/team-message.ts';
import { withdrawInvitation } from '../teams/withdraw-invitation.ts';
import type { MethodsOf } from './grpc-handlers.ts';
import { change, holderRead } from './unary.ts';

type TeamMethod =
  | 'ListHolderTeams'
  | 'CreateHolderTeam'
  | 'SetHolderTeamLimit'
  | 'InviteToHolderTeam'
  | 'WithdrawHolderInvitation'
  | 'FindOfferedSeat'
  | 'AcceptInvitation'
  | 'RemoveHolderSeat';

/** Teams, seats and invitations of the dashboard's service. */
export function holderTeamMethods(
  context: ControlPlaneContext,
): Pick<MethodsOf<DashboardServiceHandlers>, TeamMethod> {
  return {
    ListHolderTeams: holderRead(context, 'ListHolderTeams', async (actor, _request, signal) => {
      const { teams, accountPools, offeredSeats } = await listHolderTeams(context, actor, signal);
      return {
        teams: teams.map((team) => holderTeamMessage(team, actor.accountId)),
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
      const invited = await inviteToHolderTeam(context, actor, request);
      if ('seat' in invited) return { seat: seatMessage(invited.seat) };
      return { invitation: newInvitationMessage(invited) };
    }),
    WithdrawHolderInvitation: change(context, 'WithdrawHolderInvitation', 'user', async (actor, request) => {
      const { id } = await requireOwnedInvitation(context, actor.accountId, request.invitationId);
      return invitationMessage(await withdrawInvitation(context, actor, { invitationId: id }));
    }),
    FindOfferedSeat: holderRead(context, 'FindOfferedSeat', async (_actor, { token }) =>
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
