import type { ServedUnits } from '../billing/served-work.ts';
import type { CachedTokens } from '../cache/prompt-cache.ts';
import type { Fault } from '../faults/fault-schema.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';

export interface MessageUsage {
  /** Excludes tokens read from a cache or written to it. */
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
  /** Includes the thinking. */
  output_tokens: number;
  output_tokens_details?: { thinking_tokens: number };
  server_tool_use?: { web_search_requests: number };
  service_tier: 'standard';
}

/** The usage of an answer in each place that reports it; undefined if the knob omits it. */
export interface ReportedUsage {
  /** The tokens to bill, whatever is reported. */
  billed: ServedUnits;
  whole: MessageUsage | undefined;
  /** In the first event of a stream. */
  atStart: MessageUsage | undefined;
  /** In the event before the last: cumulative, and without the parts of `cache_creation`. */
  atEnd: object | undefined;
}

export interface OutputTokens {
  total: number;
  /** The thinking part; undefined: none. */
  thinking: number | undefined;
}

export function messageUsage(cached: CachedTokens, output: OutputTokens, fault: Fault): ReportedUsage {
  // The knob `cached_tokens` counts uncached tokens as read from the cache.
  const further = Math.min(fault.cached_tokens ?? 0, cached.uncached);
  const extra = fault.reasoning_tokens ?? 0;
  const hasThinking = output.thinking !== undefined || fault.reasoning_tokens !== undefined;
  const usage: MessageUsage = {
    input_tokens: cached.uncached - further,
    cache_creation_input_tokens: cached.written5m + cached.written1h,
    cache_read_input_tokens: cached.read + further,
    cache_creation: {
      ephemeral_5m_input_tokens: cached.written5m,
      ephemeral_1h_input_tokens: cached.written1h,
    },
    output_tokens: output.total + extra,
    ...(hasThinking && { output_tokens_details: { thinking_tokens: (output.thinking ?? 0) + extra } }),
    ...(fault.web_searches !== undefined && { server_tool_use: { web_search_requests: fault.web_searches } }),
    service_tier: 'standard',
  };
  const { cache_creation, service_tier, ...atEnd } = usage;
  const isLate = fault.usage === 'on_last_chunk';
  return {
    billed: {
      input: usage.input_tokens,
      cachedInput: usage.cache_read_input_tokens,
      cacheWrite: cached.written5m,
      cacheWrite1h: cached.written1h,
      output: usage.output_tokens,
      webSearches: fault.web_searches ?? 0,
    },
    whole: spoilUsage(usage, fault),
    atStart: spoilUsage(startUsage(usage, fault), fault),
    atEnd: spoilUsage(isLate ? { ...atEnd, cache_creation } : atEnd, fault),
  };
}

function startUsage(usage: MessageUsage, fault: Fault): MessageUsage {
  const { output_tokens_details, server_tool_use, ...start } = usage;
  if (fault.usage === 'on_last_chunk') {
    const none = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 };
    const nothing = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    return { ...start, ...nothing, cache_creation: none, output_tokens: 0 };
  }
  const input = fault.usage === 'raised_at_end' ? Math.ceil(start.input_tokens / 2) : start.input_tokens;
  // One token exists already when the message starts.
  return { ...start, input_tokens: input, output_tokens: Math.min(1, usage.output_tokens) };
}
