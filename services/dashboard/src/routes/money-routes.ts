import { moveMoneyRequest } from '../../wire/teams.ts';
import type { DashboardContext } from '../context.ts';
import { parseRequest } from '../http/parse-request.ts';
import { type ApiRoute, holderRoute } from './api-route.ts';

export function moneyRoutes({ holder }: DashboardContext): ApiRoute[] {
  return [
    holderRoute('POST', '/api/money/move', async ({ res, accountId, body }) => {
      const { fromPoolId, to, usd, name } = parseRequest(moveMoneyRequest, body);
      await holder.moveMoney({
        accountId,
        fromPoolId,
        to: to ?? { kind: 'account', id: accountId },
        usd,
        name,
      });
      res.status(204).end();
    }),
  ];
}
