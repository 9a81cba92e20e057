import { z } from 'zod';
import type { JsonObject } from '../../json/json-object.ts';
import type { CountedUsage } from '../../usage/counted-usage.ts';

/** Cohere's schema says that counts are any numbers. An absurd one is not believed. */
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
 * Cohere counts an answer twice: `billed_units` is what it charges; `tokens` is what the model has read and
 * written, with Cohere's own instructions and marks, which cost nothing (a prompt of 12 tokens is 507 there).
 * The gateway bills the first, and tells it to the caller, so that usage times price is the cost. What came
 * from a cache, `cached_tokens`, is counted in the second, mostly of those instructions: beside billed tokens
 * it says nothing. The second is used where the first is missing.
 * @returns undefined where neither can be read
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
