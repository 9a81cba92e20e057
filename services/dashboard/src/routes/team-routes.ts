import {
  addSeatRequest,
  createTeamRequest,
  type MoveMoneyRequest,
  moveMoneyRequest,
  type RemoveSeatResponse,
  setTeamLimitRequest,
  type TeamsResponse,
} from '../../wire/teams.ts';
import type { DashboardContext } from '../context.ts';
import { parseRequest } from '../http/parse-request.ts';
import { toPool } from '../pools/to-pool.ts';
import { inviteToTeam } from '../teams/invite-to-team.ts';
import { toNewTeam, toOfferedSeatEntry, toTeam } from '../teams/to-team.ts';
import { type ApiRoute, holderRoute, pathParameter } from './api-route.ts';

const MAX_INT32 = 2 ** 31 - 1;

export function teamRoutes(context: DashboardContext): ApiRoute[] {
  return [
    holderRoute('viewer', 'GET', '/api/teams', async ({ res, accountId, reads }) => {
      const { teams, accountPools, offeredSeats } = await reads.listHolderTeams({ accountId });
      const response: TeamsResponse = {
        teams: teams.map(toTeam),
        accountPools: accountPools.map(toPool),
        offeredSeats: offeredSeats.map(toOfferedSeatEntry),
      };
      res.json(response);
    }),

    holderRoute('admin', 'POST', '/api/teams', async ({ res, changes, body }) => {
      const { name } = parseRequest(createTeamRequest, body);
      res.status(201).json(toNewTeam(await changes.createHolderTeam({ name })));
    }),

    holderRoute('admin', 'POST', '/api/teams/:teamId/limit', async ({ req, res, changes, body }) => {
      const { requestsPerMinute } = parseRequest(setTeamLimitRequest, body);
      await changes.setHolderTeamLimit({
        teamId: pathParameter(req, 'teamId'),
        // Protobuf would wrap a larger number around instead of refusing it.
        requestsPerMinute: Math.min(requestsPerMinute, MAX_INT32),
      });
      res.status(204).end();
    }),

    // The response may have a link with which anybody can take the seat.
    holderRoute(
      'admin',
      'POST',
      '/api/teams/:teamId/seats',
      async ({ req, res, emailVerified, user, changes, body }) => {
        const { email } = parseRequest(addSeatRequest, body);
        const { accountId, email: inviter } = user;
        const owner = { accountId, email: inviter, emailVerified };
        const offer = { teamId: pathParameter(req, 'teamId'), email };
        const reads = context.holder.readsBy(user);
        res.status(201).json(await inviteToTeam({ ...context, changes, reads }, owner, offer));
      },
      { needsProof: true },
    ),

    holderRoute(
      'admin',
      'POST',
      '/api/seats/:seatId/remove',
      async ({ req, res, changes }) => {
        const removed = await changes.removeHolderSeat({ seatId: pathParameter(req, 'seatId') });
        const response: RemoveSeatResponse = {
          revokedKeys: removed.revokedKeyIds.length,
          refusedEverywhere: removed.unconfirmedInstances.length === 0,
        };
        res.json(response);
      },
      { isChange: false },
    ),

    holderRoute('admin', 'POST', '/api/money/move', async ({ res, accountId, changes, body }) => {
      const { fromPoolId, to, usd, name } = parseRequest(moveMoneyRequest, body);
      await changes.moveMoney({ fromPoolId, to: resolveOwner(to, accountId), usd, name });
      res.status(204).end();
    }),
  ];
}

/** Resolves the target of a transfer. @param to left out: the account */
function resolveOwner(to: MoveMoneyRequest['to'], accountId: string) {
  if (to === undefined) return { kind: 'account', id: accountId };
  return 'teamId' in to ? { kind: 'team', id: to.teamId } : { kind: 'seat', id: to.seatId };
}
