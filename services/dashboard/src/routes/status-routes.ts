import type { ModelsResponse, StatusResponse } from '../../wire/status.ts';
import type { DashboardContext } from '../context.ts';
import { type ApiRoute, holderRoute, publicRoute } from './api-route.ts';

/** As long as SharedRead caches. */
const PUBLIC = 'public, max-age=5';

export function statusRoutes({ models, modelStatusRead, statusRead }: DashboardContext): ApiRoute[] {
  return [
    publicRoute('GET', '/api/status', async ({ res }) => {
      const [status, states] = await Promise.all([statusRead.read(), modelStatusRead.readIfKnown()]);
      const readAtMs = Math.min(status.readAtMs, states?.readAtMs ?? status.readAtMs);
      const response: StatusResponse = { status: status.value, models: states?.value ?? null, readAtMs };
      res.setHeader('cache-control', PUBLIC);
      res.json(response);
    }),

    publicRoute('GET', '/api/models', async ({ res }) => {
      const response: ModelsResponse = await models.read();
      res.setHeader('cache-control', PUBLIC);
      res.json(response);
    }),

    holderRoute(
      'viewer',
      'GET',
      '/api/account/models',
      async ({ accountId, reads, res }) => {
        const { priceListId } = await reads.getHolderSettings({ accountId });
        const response: ModelsResponse = await models.read(priceListId);
        res.setHeader('cache-control', 'private, max-age=5');
        res.json(response);
      },
      { worksUnverified: true },
    ),
  ];
}
