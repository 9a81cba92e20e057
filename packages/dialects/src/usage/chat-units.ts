import { type ChatUsage, NO_UNITS, type Units } from '@model-gateway/shared';

/**
 * Returns the units of a `usage` in the form of Chat Completions. Some providers count a token in two parts,
 * such as cached audio; here it is in the first of them, so that parts never come to more than their whole.
 * @param asked searches of the web that the request has asked for: nobody counts them there
 */
export function chatUnits(usage: ChatUsage, asked: Pick<Units, 'webSearchRequests'>): Units {
  const { prompt_tokens: inputTokens, completion_tokens: completion, total_tokens: total } = usage;
  // Some providers count reasoning in the total alone.
  const outputTokens = Math.max(completion, (total ?? 0) - inputTokens);
  const [input, output] = [usage.prompt_tokens_details, usage.completion_tokens_details];
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
    webSearchRequests: asked.webSearchRequests,
  };
}

/** The part of a whole that belongs to no part yet. */
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
