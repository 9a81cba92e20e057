import type { Units } from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { BoundedChat } from './max-units.ts';

/** The largest context of any model there is, for one of which the catalog does not say it. */
const LARGEST_CONTEXT = 10_000_000;
/** The catalog may be behind its provider, and some count what they have put before a prompt themselves. */
const SLACK = 2;

/**
 * The highest counts of a chat that can be true: whatever a model reads and writes for one answer has room in
 * its context. What was asked for bounds neither: pictures and files have any number of tokens, and some
 * providers let a model think beyond the length of its answer.
 * @returns undefined where there is no such bound: with tools that the provider runs, a model reads its
 *   context again and again
 */
export function maxUsageOfChat(
  { broughtTokens = 0, choices, toolCalls = 0, webSearches = 0 }: BoundedChat,
  { contextLength }: Pick<RoutedModel, 'contextLength'>,
): Pick<Units, 'inputTokens' | 'outputTokens'> | undefined {
  if (broughtTokens + toolCalls + webSearches > 0) return undefined;
  const most = (contextLength ?? LARGEST_CONTEXT) * SLACK;
  return { inputTokens: most, outputTokens: most * choices };
}
