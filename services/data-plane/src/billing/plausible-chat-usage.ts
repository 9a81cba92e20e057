import type { Units } from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { BoundedChat } from './max-units.ts';

/** Larger than the context of any model; used where the catalog names none. */
const LARGEST_CONTEXT = 10_000_000;
/** The catalog may be outdated, and some providers count their own system prompt. */
const SLACK = 2;

/**
 * Returns the highest token counts that can be true: input and output fit into the context. The request
 * bounds neither (media tokens, reasoning beyond `max_tokens`).
 * @returns undefined with server tools, since the model then reads its context repeatedly
 */
export function plausibleChatUsage(
  { broughtTokens = 0, choices, toolCalls = 0, webSearches = 0 }: BoundedChat,
  { contextLength }: Pick<RoutedModel, 'contextLength'>,
): Pick<Units, 'inputTokens' | 'outputTokens'> | undefined {
  if (broughtTokens + toolCalls + webSearches > 0) return undefined;
  const maxTokens = (contextLength ?? LARGEST_CONTEXT) * SLACK;
  return { inputTokens: maxTokens, outputTokens: maxTokens * choices };
}
