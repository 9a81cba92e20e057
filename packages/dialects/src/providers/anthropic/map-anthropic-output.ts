import { type JsonObject, nonEmptyText, objectOr } from '../../json/json-object.ts';
import { finishReasonFor } from '../shared/finish-reason-for.ts';
import { type AnthropicUsage, countAnthropicUsage } from './anthropic-usage.ts';

/** Unknown reasons become `stop`. So does `pause_turn`: callers of Chat Completions have no server tools. */
const FINISH_REASONS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
};

export function mapAnthropicStopReason(stopReason: unknown, hasCalls: boolean): string {
  const isKnown = typeof stopReason === 'string' && Object.hasOwn(FINISH_REASONS, stopReason);
  return finishReasonFor((isKnown ? FINISH_REASONS[stopReason] : undefined) ?? 'stop', hasCalls);
}

/** Returns the provider's explanation of its refusal, if any. */
export function refusalIn(stopDetails: unknown): string | undefined {
  return nonEmptyText(objectOr(stopDetails).explanation);
}

export interface ThoughtPlace {
  index: number;
  format: string;
}

export function thinkingDetail(
  { format, index }: ThoughtPlace,
  members: { text?: string; signature?: string },
): JsonObject {
  return { type: 'reasoning.text', ...members, format, index };
}

export function redactedDetail({ format, index }: ThoughtPlace, data: string): JsonObject {
  return { type: 'reasoning.encrypted', data, format, index };
}

/**
 * Converts citations of web pages. Chat Completions has no citations of documents.
 * @param from start of the cited text in the whole output, in UTF-16 units; `to`: its end
 */
export function convertAnthropicCitations(
  citations: readonly unknown[],
  from: number,
  to: number,
): JsonObject[] {
  return citations.flatMap((citation) => {
    const { title: given, url } = objectOr(citation);
    if (typeof url !== 'string') return [];
    const title = typeof given === 'string' ? given : url;
    return [{ type: 'url_citation', url_citation: { url, title, start_index: from, end_index: to } }];
  });
}

export function convertAnthropicUsage(usage: AnthropicUsage): JsonObject {
  const { units } = countAnthropicUsage(usage);
  const { inputTokens = 0, outputTokens = 0, reasoningTokens } = units;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: {
      cached_tokens: units.cachedInputTokens ?? 0,
      cache_write_tokens: (units.cacheWriteTokens ?? 0) + (units.cacheWrite1hTokens ?? 0),
    },
    ...(reasoningTokens === undefined
      ? {}
      : { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  };
}
