import { z } from 'zod';
import { sellingServiceTiers, sellingTiers } from '../billing/pricing.ts';
import { capability } from '../catalog/capability.ts';
import { tier } from '../catalog/catalog-names.ts';
import { configuration, modelStatus } from './status.ts';

/** An entry of GET /v1/models: OpenAI's model object, with facts that help a caller choose a model. */
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
    .describe('Only for chat models: input tokens reserved for each image in a request.'),
  tokens_per_file_part: z
    .int()
    .optional()
    .describe(
      'Only for chat models: input tokens reserved for each recording or file in a request. Absent: the rest ' +
        'of the context.',
    ),
  input_modalities: z.array(z.string()),
  output_modalities: z.array(z.string()),
  pricing: z.record(z.string(), z.string()),
  pricing_tiers: sellingTiers
    .optional()
    .describe(
      'Prices for long inputs. A tier applies to requests with more input tokens than `above_input_tokens`; ' +
        'the last one that applies counts. It replaces the prices of `pricing` that it lists. Absent: none.',
    ),
  pricing_service_tiers: sellingServiceTiers
    .optional()
    .describe(
      'Prices for service tiers. One applies to requests that the provider serves at that tier, and replaces ' +
        'the prices of `pricing` that it lists. Absent: none.',
    ),
  endpoints: z.array(z.string()),
  status: modelStatus,
  configuration,
  deprecated_at: z.int().optional(),
  aliases: z.array(z.string()).optional().describe('Other names that you can send as `model`. Absent: none.'),
  fallbacks: z
    .array(z.string())
    .optional()
    .describe('Models that are tried in this order if this one fails. Absent: none.'),
  models: z
    .array(z.object({ model: z.string(), weight: z.int() }))
    .optional()
    .describe(
      'Only for a virtual model: each request goes to one of these models, chosen by weight. The virtual model ' +
        'has the abilities that all of them share, and lists their highest prices. You pay the prices of the ' +
        'model that responds.',
    ),
});

export type ModelObject = z.infer<typeof modelObject>;

export const modelList = z.object({ object: z.literal('list'), data: z.array(modelObject) });
