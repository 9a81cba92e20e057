import { modelList, modelStatusList, statusSummary } from '@model-gateway/shared';
import { z } from 'zod';

/** GET /api/status, for everybody: the answers of GET /v1/status and /v1/status/models, at most 5 s old. */
export const statusAnswer = z.object({
  status: statusSummary,
  /** Null: no catalog yet. */
  models: modelStatusList.nullable(),
  /** When it was read, Unix milliseconds. If that is seconds ago, the catalog service is out of reach. */
  readAtMs: z.number(),
});
export type StatusAnswer = z.infer<typeof statusAnswer>;

/** GET /api/models, for everybody: the answer of GET /v1/models, at most 5 s old. */
export const modelsAnswer = modelList;
export type ModelsAnswer = z.infer<typeof modelsAnswer>;
