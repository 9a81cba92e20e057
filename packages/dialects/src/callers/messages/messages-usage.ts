import type { Usage } from '../../usage/usage.ts';

/** `usage` in Anthropic's form: its input is without what was read from a cache or written to one. */
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

/**
 * `usage` of the first event of a stream. Clients reckon with it before the end, so it is never zero.
 * @param usage what the provider has said by then; else estimated
 */
export function firstUsage(usage: Usage) {
  const shown = messagesUsage(usage);
  return usage.inputTokens > 0 ? shown : { ...shown, input_tokens: 1 };
}
