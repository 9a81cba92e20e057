import { z } from 'zod';

const tokens = z.int().min(0).max(1_000_000_000).optional();
const figure = z.number().min(0).max(1_000_000_000).nullable();

/**
 * The `usage` of a provider's images, speech or transcription: plausible numbers, one level of details, and a
 * `type`. Anything else fails the parse, and is neither counted nor passed on.
 */
export const reportedUsage = z
  .object({
    type: z.string().max(100).optional(),
    input_tokens: tokens,
    output_tokens: tokens,
    total_tokens: tokens,
  })
  .catchall(z.union([figure, z.record(z.string(), figure)]));
