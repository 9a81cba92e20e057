import { z } from 'zod';
import { priceTiers } from '../billing/pricing.ts';
import { capability } from '../catalog/capability.ts';
import { tier } from '../catalog/catalog-names.ts';
import { configuration, modelStatus } from './status.ts';

/** One entry of GET /v1/models: OpenAI's model object with what a caller needs to choose. */
export const modelObject = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
  name: z.string(),
  description: z.string(),
  capability,
  tier,
  context_length: z.int().nullable(),
  max_output_tokens: z.int().nullable(),
  tokens_per_media_part: z
    .int()
    .optional()
    .describe(
      'For chat models: input tokens that are reserved for each image, recording or file of a request.',
    ),
  input_modalities: z.array(z.string()),
  output_modalities: z.array(z.string()),
  pricing: z.record(z.string(), z.string()),
  pricing_tiers: priceTiers
    .optional()
    .describe(
      'For long contexts: the prices of requests with more input tokens than `above_input_tokens`; the ' +
        'last tier that applies. Prices that a tier lacks are those of `pricing`. Absent: there are none.',
    ),
  endpoints: z.array(z.string()),
  status: modelStatus,
  configuration,
  deprecated_at: z.int().optional(),
  aliases: z
    .array(z.string())
    .optional()
    .describe('Other names that requests can use as `model`. Absent: there are none.'),
  fallbacks: z
    .array(z.string())
    .optional()
    .describe('Models that are tried in this order when it fails. Absent: there are none.'),
  models: z
    .array(z.object({ model: z.string(), weight: z.int() }))
    .optional()
    .describe(
      'Only for a virtual model: one of these models is chosen by weight for each request. The virtual model has ' +
        'the abilities that all of them share, and the highest prices; the model that answers decides the charge.',
    ),
});

export type ModelObject = z.infer<typeof modelObject>;

export const modelList = z.object({ object: z.literal('list'), data: z.array(modelObject) });
