import { z } from 'zod';

const tokens = z.int().min(0).max(1_000_000_000).optional();
const figure = z.number().min(0).max(1_000_000_000).nullable();

/**
 * The `usage` object of a provider's images, speech or transcription, with whichever counts it has: numbers
 * that can be true, one level of details, and the word that says what was counted. Anything else fails the
 * parse, and is then neither believed nor passed on.
 */
export const reportedUsage = z
  .object({
    type: z.string().max(100).optional(),
    input_tokens: tokens,
    output_tokens: tokens,
    total_tokens: tokens,
  })
  .catchall(z.union([figure, z.record(z.string(), figure)]));
