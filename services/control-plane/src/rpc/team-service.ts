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
import type { MethodsOf } from './grpc-handlers.ts';
import { change, read } from './unary.ts';

export function teamService(context: ControlPlaneContext): MethodsOf<TeamServiceHandlers> {
  return {
    CreateTeam: change(context, 'CreateTeam', 'operator', async (actor, request) =>
      teamMessage(await createTeam(context, actor, request)),
    ),
    ListTeams: read(context, 'ListTeams', listTeams),
    SetTeamLimit: change(context, 'SetTeamLimit', 'operator', async (actor, request) => {
      const { team, unconfirmed } = await setTeamLimit(context, actor, request);
      return { team: teamMessage(team), unconfirmedInstances: unconfirmed };
    }),
    DeleteTeam: change(context, 'DeleteTeam', 'operator', async (actor, request) => {
      const deleted = await deleteTeam(context, actor, request);
      return {
        team: teamMessage(deleted.team),
        removedSeatIds: deleted.seatIds,
        revokedKeyIds: deleted.keyIds,
        removedPools: deleted.removedPools.map(removedPoolMessage),
        unconfirmedInstances: deleted.unconfirmed,
      };
    }),
    MoveSeat: change(context, 'MoveSeat', 'operator', async (actor, request) => {
      const { seat, revokedKeys, unconfirmed } = await moveSeat(context, actor, request);
      return { seat: seatMessage(seat), revokedKeyIds: revokedKeys, unconfirmedInstances: unconfirmed };
    }),
    AddSeat: change(context, 'AddSeat', 'operator', async (actor, request) =>
      seatMessage(await addSeat(context, actor, request)),
    ),
    ListSeats: read(context, 'ListSeats', listSeats),
    RemoveSeat: change(context, 'RemoveSeat', 'operator', async (actor, request) => {
      const { seat, revokedKeys, unconfirmed } = await removeSeat(context, actor, request);
      return { seat: seatMessage(seat), revokedKeyIds: revokedKeys, unconfirmedInstances: unconfirmed };
    }),
    InviteToTeam: change(context, 'InviteToTeam', 'operator', async (actor, { teamId, email }) => {
      const { id } = await context.teamStore.requireNotDeleted(teamId);
      return newInvitationMessage(await inviteToTeam(context, actor, { teamId: id, email }));
    }),
    WithdrawInvitation: change(context, 'WithdrawInvitation', 'operator', async (actor, request) =>
      invitationMessage(await withdrawInvitation(context, actor, request)),
    ),
  };
}
