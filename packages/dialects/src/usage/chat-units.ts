import { type ChatUsage, chatUsage, NO_UNITS, type Units } from '@model-gateway/shared';
import { z } from 'zod';

/** Compiled for the first response, which takes 1 ms. */
let compiled: typeof chatUsage | undefined;

/** Reads a `usage` of Chat Completions. @returns undefined if it is invalid */
export function parseChatUsage(usage: unknown): ChatUsage | undefined {
  compiled ??= z.compile(chatUsage);
  return compiled.safeParse(usage).data;
}

/**
 * Converts a `usage` of Chat Completions to units. Some providers count a token in two parts, such as cached
 * audio: it counts only in the first, so that parts never exceed their whole.
 * @param requested web searches of the request, which no `usage` counts
 */
export function chatUnits(usage: ChatUsage, requested: Pick<Units, 'webSearchRequests'>): Units {
  const { prompt_tokens: inputTokens, completion_tokens: completion, total_tokens: total } = usage;
  // Some providers count reasoning only in the total.
  const outputTokens = Math.max(completion, (total ?? 0) - inputTokens);
  const input = usage.prompt_tokens_details;
  const output = usage.completion_tokens_details;
  const ofInput = new Rest(inputTokens);
  const ofOutput = new Rest(outputTokens);
  return {
    ...NO_UNITS,
    inputTokens,
    cachedInputTokens: ofInput.take(
      input?.cached_tokens ?? usage.cached_tokens ?? usage.prompt_cache_hit_tokens,
    ),
    cacheWriteTokens: ofInput.take(input?.cache_write_tokens),
    audioInputTokens: ofInput.take(input?.audio_tokens),
    imageInputTokens: ofInput.take(input?.image_tokens),
    outputTokens,
    reasoningTokens: ofOutput.take(output?.reasoning_tokens),
    audioOutputTokens: ofOutput.take(output?.audio_tokens),
    imageOutputTokens: ofOutput.take(output?.image_tokens),
    webSearchRequests: requested.webSearchRequests,
  };
}

/** The tokens of a whole that no part has taken. */
class Rest {
  #left: number;

  constructor(whole: number) {
    this.#left = whole;
  }

  take(part: number | null | undefined): number {
    const taken = Math.min(part ?? 0, this.#left);
    this.#left -= taken;
    return taken;
  }
}
