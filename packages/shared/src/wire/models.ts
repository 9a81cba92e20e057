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
    .describe('Of a chat: input tokens that are set aside for each image, recording or file of a request.'),
  input_modalities: z.array(z.string()),
  output_modalities: z.array(z.string()),
  pricing: z.record(z.string(), z.string()),
  pricing_tiers: priceTiers
    .optional()
    .describe(
      'For long contexts: the prices of requests with more input tokens than `above_input_tokens`; the ' +
        'last one that applies. A price that is not here is that of `pricing`. Absent: there are none.',
    ),
  endpoints: z.array(z.string()),
  status: modelStatus,
  configuration,
  deprecated_at: z.int().optional(),
  aliases: z
    .array(z.string())
    .optional()
    .describe('Other names by which a request may ask for it. Absent: there are none.'),
  fallbacks: z
    .array(z.string())
    .optional()
    .describe('Models that answer in its place, in this order, when it cannot. Absent: there are none.'),
  models: z
    .array(z.object({ model: z.string(), weight: z.int() }))
    .optional()
    .describe(
      'Only of a virtual model: the models of which one is drawn for each request, by weight. What it can do ' +
        'is what all of them can, and its prices are those of the dearest; charged are those of the one that answers.',
    ),
});

export type ModelObject = z.infer<typeof modelObject>;

export const modelList = z.object({ object: z.literal('list'), data: z.array(modelObject) });
