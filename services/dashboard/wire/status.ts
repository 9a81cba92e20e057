import { modelList, modelStatusList, statusSummary } from '@model-gateway/shared';
import { z } from 'zod';

/** GET /api/status, public: GET /v1/status and /v1/status/models, cached for 5 s. */
export const statusResponse = z.object({
  status: statusSummary,
  /** Null: no catalog yet. */
  models: modelStatusList.nullable(),
  /** Unix milliseconds. More than a few seconds old: the catalog service cannot be reached. */
  readAtMs: z.number(),
});
export type StatusResponse = z.infer<typeof statusResponse>;

/** GET /api/models, public, and /api/account/models with the account's prices: GET /v1/models, for 5 s. */
export const modelsResponse = modelList;
export type ModelsResponse = z.infer<typeof modelsResponse>;
