import type { TeamServiceHandlers } from '@model-gateway/contracts';
import type { ControlPlaneContext } from '../context.ts';
import { removedPoolMessage } from '../pools/pool-message.ts';
import { addSeat } from '../teams/add-seat.ts';
import { createTeam } from '../teams/create-team.ts';
import { deleteTeam } from '../teams/delete-team.ts';
import { invitationMessage, newInvitationMessage } from '../teams/invitation-message.ts';
import { inviteToTeam } from '../teams/invite-to-team.ts';
import { listSeats } from '../teams/list-seats.ts';
import { listTeams } from '../teams/list-teams.ts';
import { moveSeat } from '../teams/move-seat.ts';
import { removeSeat } from '../teams/remove-seat.ts';
import { seatMessage } from '../teams/seat-message.ts';
import { setTeamLimit } from '../teams/set-team-limit.ts';
import { teamMessage } from '../teams/team-message.ts';
import { withdrawInvitation } from '../teams/withdraw-invitation.ts';
import { unary } from './unary.ts';

export function teamService(context: ControlPlaneContext): TeamServiceHandlers {
  return {
    CreateTeam: unary(context, 'CreateTeam', async (request) =>
      teamMessage(await createTeam(context, request)),
    ),
    ListTeams: unary(context, 'ListTeams', (request, signal) => listTeams(context, request, signal)),
    SetTeamLimit: unary(context, 'SetTeamLimit', async (request) => {
      const { team, unconfirmed } = await setTeamLimit(context, request);
      return { team: teamMessage(team), unconfirmedInstances: unconfirmed };
    }),
    DeleteTeam: unary(context, 'DeleteTeam', async ({ teamId }) => {
      const deleted = await deleteTeam(context, teamId);
      return {
        team: teamMessage(deleted.team),
        removedSeatIds: deleted.seatIds,
        revokedKeyIds: deleted.keyIds,
        removedPools: deleted.removedPools.map(removedPoolMessage),
        unconfirmedInstances: deleted.unconfirmed,
      };
    }),
    MoveSeat: unary(context, 'MoveSeat', async (request) => {
      const { seat, revokedKeys, unconfirmed } = await moveSeat(context, request);
      return { seat: seatMessage(seat), revokedKeyIds: revokedKeys, unconfirmedInstances: unconfirmed };
    }),
    AddSeat: unary(context, 'AddSeat', async (request) => seatMessage(await addSeat(context, request))),
    ListSeats: unary(context, 'ListSeats', (request, signal) => listSeats(context, request, signal)),
    RemoveSeat: unary(context, 'RemoveSeat', async ({ seatId }) => {
      const { seat, revokedKeys, unconfirmed } = await removeSeat(context, seatId);
      return {
        seat: seatMessage(seat),
        revokedKeyIds: revokedKeys,
        unconfirmedInstances: unconfirmed,
      };
    }),
    InviteToTeam: unary(context, 'InviteToTeam', async ({ teamId, email }) => {
      const { id } = await context.teamStore.require(teamId);
      return newInvitationMessage(await inviteToTeam(context, { teamId: id, email }));
    }),
    WithdrawInvitation: unary(context, 'WithdrawInvitation', async ({ invitationId }) =>
      invitationMessage(await withdrawInvitation(context, invitationId)),
    ),
  };
}
