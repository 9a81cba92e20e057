import { moveMoneyRequest } from '../../wire/teams.ts';
import { parseRequest } from '../http/parse-request.ts';
import { type ApiRoute, holderRoute } from './api-route.ts';

export function moneyRoutes(): ApiRoute[] {
  return [
    holderRoute('POST', '/api/money/move', async ({ res, accountId, changes, body }) => {
      const { fromPoolId, to, usd, name } = parseRequest(moveMoneyRequest, body);
      const owner = to ?? { kind: 'account', id: accountId };
      await changes.moveMoney({ fromPoolId, to: owner, usd, name });
      res.status(204).end();
    }),
  ];
}
