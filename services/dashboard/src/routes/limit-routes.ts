import type { DashboardContext } from '../context.ts';
import { toLimitsResponse } from '../limits/limits-response.ts';
import { type ApiRoute, holderRoute } from './api-route.ts';

export function limitRoutes({ holder }: DashboardContext): ApiRoute[] {
  return [
    holderRoute('GET', '/api/limits', async ({ res, accountId, gone }) => {
      res.json(toLimitsResponse(await holder.abortingWith(gone).getHolderLimits({ accountId })));
    }),
  ];
}
