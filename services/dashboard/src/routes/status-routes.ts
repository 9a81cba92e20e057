import type { ModelsResponse, StatusResponse } from '../../wire/status.ts';
import type { DashboardContext } from '../context.ts';
import { type ApiRoute, publicRoute } from './api-route.ts';

/** As long as SharedRead caches. */
const PUBLIC = 'public, max-age=5';

export function statusRoutes({ modelsRead, modelStatusRead, statusRead }: DashboardContext): ApiRoute[] {
  return [
    publicRoute('GET', '/api/status', async ({ res }) => {
      const [status, models] = await Promise.all([statusRead.read(), modelStatusRead.readIfKnown()]);
      const readAtMs = Math.min(status.readAtMs, models?.readAtMs ?? status.readAtMs);
      const response: StatusResponse = { status: status.value, models: models?.value ?? null, readAtMs };
      res.setHeader('cache-control', PUBLIC);
      res.json(response);
    }),

    publicRoute('GET', '/api/models', async ({ res }) => {
      const { value } = await modelsRead.read();
      const response: ModelsResponse = value;
      res.setHeader('cache-control', PUBLIC);
      res.json(response);
    }),
  ];
}
