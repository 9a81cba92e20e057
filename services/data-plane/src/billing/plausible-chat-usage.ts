import type { Units } from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { BoundedChat } from './max-units.ts';

/** Larger than the context of any model; used where the catalog names none, and for files. */
const LARGEST_CONTEXT = 10_000_000;
/** The catalog may be outdated, and some providers count their own system prompt. */
const SLACK = 2;

/**
 * Returns the highest token counts that can be true: input and output fit into the context. The catalog's
 * context length may be too low, so a token per byte can be true, too, and files may fill any
 * context. The request bounds neither the tokens of images nor reasoning beyond `max_tokens`.
 * @returns undefined with server tools, since the model then reads its context repeatedly
 */
export function plausibleChatUsage(
  { broughtTokens = 0, choices, fileParts, maxOutputTokens = 0, toolCalls = 0, webSearches = 0 }: BoundedChat,
  maxInputTokens: number,
  { contextLength = LARGEST_CONTEXT }: Pick<RoutedModel, 'contextLength'>,
): Pick<Units, 'inputTokens' | 'outputTokens'> | undefined {
  if (broughtTokens + toolCalls + webSearches > 0) return undefined;
  const context = fileParts > 0 ? LARGEST_CONTEXT : contextLength;
  return {
    inputTokens: Math.max(context * SLACK, maxInputTokens),
    outputTokens: Math.max(contextLength * SLACK, maxOutputTokens) * choices,
  };
}
