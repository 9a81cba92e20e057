import { z } from 'zod';

/** The query and the response of DELETE /v1/cache (docs/endpoints.md, "DELETE /v1/cache"). */

const purged = {
  cache_key: z.string().optional().describe('Only the answer with this `x-gateway-cache-key`.'),
  api_key: z.string().optional().describe('Only answers to requests with the API key of this id.'),
  model: z.string().optional().describe('Only answers of the model with this id.'),
  tag: z.string().optional().describe('Only answers to requests with this tag, such as `project=alpha`.'),
};

export const purgeQuery = z.object(purged);

export const cachePurged = z.object({ object: z.literal('cache.purged'), ...purged });
