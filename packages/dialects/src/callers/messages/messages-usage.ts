import { DEFAULT_TIER } from '@model-gateway/shared';
import type { Usage } from '../../usage/usage.ts';

/** Anthropic's input excludes tokens that were read from or written to a cache. */
export function messagesUsage(usage: Usage) {
  const { cachedInputTokens, cacheWrite1hTokens, cacheWriteTokens, inputTokens, outputTokens } = usage;
  const written = cacheWriteTokens + cacheWrite1hTokens;
  return {
    input_tokens: Math.max(0, inputTokens - cachedInputTokens - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cachedInputTokens,
    output_tokens: outputTokens,
  };
}

/** Returns the provider's service tier in Anthropic's words, if it has reported one. */
export function messagesTier(served: string | undefined): { service_tier?: string } {
  return served === undefined ? {} : { service_tier: served === DEFAULT_TIER ? 'standard' : served };
}

/** Clients use the input of the first event, so it is never zero. @param usage reported or estimated */
export function firstUsage(usage: Usage) {
  const shown = messagesUsage(usage);
  return usage.inputTokens > 0 ? shown : { ...shown, input_tokens: 1 };
}
