import type { DashboardContext } from '../context.ts';
import { limitsAnswer } from '../limits/limits-answer.ts';
import { type ApiRoute, holderRoute } from './api-route.ts';

export function limitRoutes({ holder }: DashboardContext): ApiRoute[] {
  return [
    holderRoute('GET', '/api/limits', async ({ res, accountId, gone }) => {
      res.json(limitsAnswer(await holder.abortingWith(gone).getHolderLimits({ accountId })));
    }),
  ];
}
