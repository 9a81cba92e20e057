import { z } from 'zod';
import { given, isObject, type JsonObject } from '../../json/json-object.ts';
import type { CountedUsage } from '../../usage/counted-usage.ts';

const count = z.int().min(0).max(1_000_000_000).nullish();
const details = z.array(z.looseObject({ modality: z.string().nullish(), tokenCount: count })).nullish();

/** Google leaves out zeros. An absurd count fails the parse. */
const usageMetadata = z.looseObject({
  /** With cached tokens. */
  promptTokenCount: z.int().min(0).max(1_000_000_000),
  cachedContentTokenCount: count,
  /** Prompt tokens that the provider's own tools added. */
  toolUsePromptTokenCount: count,
  /** Without thinking. */
  candidatesTokenCount: count,
  thoughtsTokenCount: count,
  totalTokenCount: count,
  promptTokensDetails: details,
  cacheTokensDetails: details,
  candidatesTokensDetails: details,
});

type UsageMetadata = z.infer<typeof usageMetadata>;
type Units = CountedUsage['units'];

/** @returns undefined for a usage without input or output: the missing side would cost nothing */
export function geminiUnits(usage: unknown): Units | undefined {
  const counted = usageMetadata.safeParse(usage).data;
  return counted === undefined ? undefined : unitsIn(counted);
}

function unitsIn(counted: UsageMetadata): Units | undefined {
  const { candidatesTokenCount, promptTokenCount, thoughtsTokenCount, totalTokenCount } = counted;
  if ((candidatesTokenCount ?? thoughtsTokenCount ?? totalTokenCount ?? undefined) === undefined)
    return undefined;
  const inputTokens = promptTokenCount + (counted.toolUsePromptTokenCount ?? 0);
  const thoughts = thoughtsTokenCount ?? 0;
  const outputTokens = Math.max((candidatesTokenCount ?? 0) + thoughts, (totalTokenCount ?? 0) - inputTokens);
  const cachedInputTokens = Math.min(counted.cachedContentTokenCount ?? 0, inputTokens);
  // Cached tokens have one price for all modalities, so they count as cached only.
  const freshAudio =
    ofModality(counted.promptTokensDetails, 'AUDIO') - ofModality(counted.cacheTokensDetails, 'AUDIO');
  const freshImages =
    ofModality(counted.promptTokensDetails, 'IMAGE') - ofModality(counted.cacheTokensDetails, 'IMAGE');
  const audioInputTokens = clamp(freshAudio, inputTokens - cachedInputTokens);
  const imageInputTokens = clamp(freshImages, inputTokens - cachedInputTokens - audioInputTokens);
  const audioOutputTokens = clamp(
    ofModality(counted.candidatesTokensDetails, 'AUDIO'),
    outputTokens - thoughts,
  );
  const imageOutputTokens = clamp(
    ofModality(counted.candidatesTokensDetails, 'IMAGE'),
    outputTokens - thoughts - audioOutputTokens,
  );
  return {
    inputTokens,
    outputTokens,
    ...(cachedInputTokens === 0 ? {} : { cachedInputTokens }),
    ...(audioInputTokens === 0 ? {} : { audioInputTokens }),
    ...(imageInputTokens === 0 ? {} : { imageInputTokens }),
    ...(thoughts === 0 ? {} : { reasoningTokens: thoughts }),
    ...(audioOutputTokens === 0 ? {} : { audioOutputTokens: audioOutputTokens }),
    ...(imageOutputTokens === 0 ? {} : { imageOutputTokens: imageOutputTokens }),
  };
}

/** Returns the word for the service tier: the Gemini API has one member for it, Vertex AI another. */
export function geminiTier(usage: unknown): unknown {
  return isObject(usage) ? (usage.serviceTier ?? usage.trafficType) : undefined;
}

export function convertGeminiUsage(units: Units): JsonObject {
  const { inputTokens = 0, outputTokens = 0 } = units;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: {
      cached_tokens: units.cachedInputTokens ?? 0,
      ...given('audio_tokens', units.audioInputTokens),
      ...given('image_tokens', units.imageInputTokens),
    },
    completion_tokens_details: {
      reasoning_tokens: units.reasoningTokens ?? 0,
      ...given('audio_tokens', units.audioOutputTokens),
      ...given('image_tokens', units.imageOutputTokens),
    },
  };
}

function ofModality(list: UsageMetadata['promptTokensDetails'], wanted: string): number {
  return (list ?? []).reduce(
    (sum, { modality, tokenCount }) => (modality === wanted ? sum + (tokenCount ?? 0) : sum),
    0,
  );
}

function clamp(tokens: number, max: number): number {
  return Math.max(0, Math.min(tokens, max));
}
