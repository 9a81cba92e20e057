import type { DashboardServiceHandlers } from '@model-gateway/contracts';
import type { ControlPlaneContext } from '../../context.ts';
import { moveMoney } from '../../pools/move-money.ts';
import { poolMessage } from '../../pools/pool-message.ts';
import { addHolderSeat } from '../../teams/add-holder-seat.ts';
import { createTeam } from '../../teams/create-team.ts';
import { type HolderTeam, listHolderTeams } from '../../teams/list-holder-teams.ts';
import { removeSeat } from '../../teams/remove-seat.ts';
import { requireOwnedSeat } from '../../teams/require-owned-seat.ts';
import { seatMessage } from '../../teams/seat-message.ts';
import { setHolderTeamLimit } from '../../teams/set-holder-team-limit.ts';
import { teamMessage } from '../../teams/team-message.ts';
import { unary } from '../unary.ts';

export function teamHandlers(
  context: ControlPlaneContext,
): Pick<
  DashboardServiceHandlers,
  | 'ListHolderTeams'
  | 'CreateHolderTeam'
  | 'SetHolderTeamLimit'
  | 'AddHolderSeat'
  | 'RemoveHolderSeat'
  | 'MoveMoney'
> {
  return {
    ListHolderTeams: unary(context, 'ListHolderTeams', async ({ accountId }) => {
      const { teams, accountPools } = await listHolderTeams(context, accountId);
      return {
        teams: teams.map((team) => holderTeamMessage(team, accountId)),
        accountPools: accountPools.map(poolMessage),
      };
    }),
    CreateHolderTeam: unary(context, 'CreateHolderTeam', async ({ accountId, name }) =>
      teamMessage(await createTeam(context, { account: accountId, name })),
    ),
    SetHolderTeamLimit: unary(context, 'SetHolderTeamLimit', async (request) => {
      const { team, unconfirmed } = await setHolderTeamLimit(context, request);
      return { team: teamMessage(team), unconfirmedInstances: unconfirmed };
    }),
    AddHolderSeat: unary(context, 'AddHolderSeat', async (request) =>
      seatMessage(await addHolderSeat(context, request)),
    ),
    RemoveHolderSeat: unary(context, 'RemoveHolderSeat', async ({ accountId, seatId }) => {
      const { id } = await requireOwnedSeat(context, accountId, seatId);
      const { seat, revokedKeys, unconfirmed } = await removeSeat(context, id);
      return { seat: seatMessage(seat), revokedKeyIds: revokedKeys, unconfirmedInstances: unconfirmed };
    }),
    MoveMoney: unary(context, 'MoveMoney', async (request) => {
      const { from, to } = await moveMoney(context, request);
      return { from: poolMessage(from), to: poolMessage(to) };
    }),
  };
}

function holderTeamMessage({ team, role, pools, seats }: HolderTeam, accountId: string) {
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
  };
}
