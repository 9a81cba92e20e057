import { z } from 'zod';
import type { JsonObject } from '../../json/json-object.ts';
import type { CountedUsage } from '../../usage/counted-usage.ts';

/** Cohere's schema allows any number. Rejects absurd counts. */
const count = z.number().min(0).max(1_000_000_000).transform(Math.ceil);
const counts = z.looseObject({ input_tokens: count, output_tokens: count }).nullish().catch(null);

const chatUsage = z.looseObject({
  billed_units: counts,
  tokens: counts,
  cached_tokens: count.nullish().catch(null),
});

export interface BilledTokens {
  input: number;
  cached: number;
  output: number;
}

/**
 * Prefers `billed_units`, what Cohere charges. `tokens` includes Cohere's own free instructions (507 for a
 * prompt of 12), and most of `cached_tokens` are these, so both count only where `billed_units` is missing.
 * @returns undefined without either
 */
export function billedTokens(usage: unknown): BilledTokens | undefined {
  const parsed = chatUsage.safeParse(usage);
  if (!parsed.success) return undefined;
  const { billed_units: billed, cached_tokens: cached, tokens } = parsed.data;
  if (billed) return { input: billed.input_tokens, cached: 0, output: billed.output_tokens };
  if (!tokens) return undefined;
  const { input_tokens: input, output_tokens: output } = tokens;
  return { input, cached: Math.min(cached ?? 0, input), output };
}

export function countCohereUsage({ cached, input, output }: BilledTokens): CountedUsage {
  return { units: { inputTokens: input, cachedInputTokens: cached, outputTokens: output } };
}

export function convertCohereUsage({ cached, input, output }: BilledTokens): JsonObject {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}
