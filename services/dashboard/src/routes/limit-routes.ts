import type { DashboardContext } from '../context.ts';
import { type ApiRoute, holderRoute } from '../http/api-route.ts';
import { keyNames } from '../keys/key-names.ts';
import { limitsAnswer } from '../limits/limits-answer.ts';

export function limitRoutes({ holder }: DashboardContext): ApiRoute[] {
  return [
    holderRoute('GET', '/api/limits', async ({ res, accountId }) => {
      const [limits, keys] = await Promise.all([
        holder.getHolderLimits({ accountId }),
        holder.listHolderKeys({ accountId }),
      ]);
      res.json(limitsAnswer(limits, keyNames(keys)));
    }),
  ];
}
