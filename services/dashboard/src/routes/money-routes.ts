import { type MoveMoneyRequest, moveMoneyRequest } from '../../wire/teams.ts';
import { parseRequest } from '../http/parse-request.ts';
import { type ApiRoute, holderRoute } from './api-route.ts';

export function moneyRoutes(): ApiRoute[] {
  return [
    holderRoute('POST', '/api/money/move', async ({ res, accountId, changes, body }) => {
      const { fromPoolId, to, usd, name } = parseRequest(moveMoneyRequest, body);
      await changes.moveMoney({ fromPoolId, to: ownerOf(to, accountId), usd, name });
      res.status(204).end();
    }),
  ];
}

/** Resolves the target of a transfer. @param to left out: the account */
function ownerOf(to: MoveMoneyRequest['to'], accountId: string) {
  if (to === undefined) return { kind: 'account', id: accountId };
  return 'teamId' in to ? { kind: 'team', id: to.teamId } : { kind: 'seat', id: to.seatId };
}
