import { modelList, modelStatusList, statusSummary } from '@model-gateway/shared';
import { z } from 'zod';

/** GET /api/status, for everybody: what GET /v1/status and /v1/status/models say, at most 5 s old. */
export const statusAnswer = z.object({
  status: statusSummary,
  /** Null: no catalog yet. */
  models: modelStatusList.nullable(),
  /** Unix milliseconds: when it was read. Older than a few seconds: the status service cannot be reached. */
  readAtMs: z.number(),
});
export type StatusAnswer = z.infer<typeof statusAnswer>;

/** GET /api/models, for everybody: what GET /v1/models says, at most 5 s old. */
export const modelsAnswer = modelList;
export type ModelsAnswer = z.infer<typeof modelsAnswer>;
