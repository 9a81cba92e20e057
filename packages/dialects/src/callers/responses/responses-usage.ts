import type { Usage } from '../../usage/usage.ts';

export function responsesUsage(usage: Usage) {
  const { cachedInputTokens, cacheWrite1hTokens, cacheWriteTokens, inputTokens, outputTokens } = usage;
  return {
    input_tokens: inputTokens,
    input_tokens_details: {
      cached_tokens: cachedInputTokens,
      cache_write_tokens: cacheWriteTokens + cacheWrite1hTokens,
    },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}
