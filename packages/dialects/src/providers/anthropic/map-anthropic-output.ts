import { type JsonObject, nonEmptyText, objectOr } from '../../json/json-object.ts';
import { finishReasonFor } from '../shared/finish-reason-for.ts';
import { type AnthropicUsage, countAnthropicUsage } from './anthropic-usage.ts';

/**
 * Why an answer ended. A paused turn is one of the provider's own tools, which no caller of Chat Completions
 * can ask for: nothing more comes. Reasons that are not known yet end an answer as well.
 */
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

/** Where a thought stands among all of an answer, and whose signatures those are. */
export interface ThoughtPlace {
  index: number;
  format: string;
}

/** Thinking with its signature, to be sent back with the next turn. */
export function thinkingDetail(
  { format, index }: ThoughtPlace,
  members: { text?: string; signature?: string },
): JsonObject {
  return { type: 'reasoning.text', ...members, format, index };
}

/** Thinking that only the provider can read. */
export function redactedDetail({ format, index }: ThoughtPlace, data: string): JsonObject {
  return { type: 'reasoning.encrypted', data, format, index };
}

/**
 * The web pages that a text cites; citations of documents have no place in Chat Completions.
 * @param from where the text begins in all of the answer's, in UTF-16 units; `to`: where it ends
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

/** Where Chat Completions counts cached tokens into those of the prompt. */
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
