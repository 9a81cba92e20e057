import type { DashboardContext } from '../context.ts';
import { type ApiRoute, holderRoute } from '../http/api-route.ts';
import { limitsAnswer } from '../limits/limits-answer.ts';

export function limitRoutes({ holder }: DashboardContext): ApiRoute[] {
  return [
    holderRoute('GET', '/api/limits', async ({ res, accountId, gone }) => {
      res.json(limitsAnswer(await holder.endingWith(gone).getHolderLimits({ accountId })));
    }),
  ];
}
