import { z } from 'zod';
import type { CountedUsage } from '../../chat/counted-usage.ts';

const count = z.int().min(0).max(1_000_000_000);

const turn = z.looseObject({
  model: z.string().nullish(),
  /** Without cached and written ones, which are counted apart. */
  input_tokens: count.nullish(),
  cache_creation_input_tokens: count.nullish(),
  cache_read_input_tokens: count.nullish(),
  cache_creation: z.looseObject({ ephemeral_1h_input_tokens: count.nullish() }).nullish(),
  output_tokens: count.nullish(),
});

/** Anthropic's `usage`, of an answer and of the two events that have one. An absurd count fails the parse. */
export const messagesUsage = turn.extend({
  /** What of the output was thinking. */
  output_tokens_details: z.looseObject({ thinking_tokens: count.nullish() }).nullish(),
  server_tool_use: z.looseObject({ web_search_requests: count.nullish() }).nullish(),
  /** The turns behind one answer: compaction, advice of another model, another model after a refusal. */
  iterations: z.array(turn).nullish(),
});

export type MessagesUsage = z.infer<typeof messagesUsage>;

/**
 * The usage of a stream as far as it is known: the last event has the final counts, and may leave out what has
 * not changed.
 * @returns `known` where too little is said, or nonsense
 */
export function laterUsage(known: MessagesUsage | undefined, later: unknown): MessagesUsage | undefined {
  const parsed = messagesUsage.safeParse(later);
  if (!parsed.success) return known;
  const said = Object.entries(parsed.data).filter(([, value]) => value !== null && value !== undefined);
  const merged: MessagesUsage = { ...known, ...Object.fromEntries(said) };
  return merged.input_tokens === undefined || merged.output_tokens === undefined ? known : merged;
}

/**
 * In the units that the gateway bills.
 * @param toolCalls of the provider's own tools that are charged by the call, which its usage does not have
 */
export function countedUsage(usage: MessagesUsage, toolCalls = 0): CountedUsage {
  const { iterations, output_tokens, output_tokens_details, server_tool_use } = usage;
  const reasoningTokens = Math.min(output_tokens ?? 0, output_tokens_details?.thinking_tokens ?? 0);
  const webSearchRequests = server_tool_use?.web_search_requests ?? 0;
  const calls = {
    ...(webSearchRequests === 0 ? {} : { webSearchRequests }),
    ...(toolCalls === 0 ? {} : { toolCalls }),
  };
  const units = { ...unitsOf(usage), ...(reasoningTokens === 0 ? {} : { reasoningTokens }), ...calls };
  if (iterations === null || iterations === undefined || iterations.length === 0) return { units };
  const turns = iterations.map((one) => ({ model: one.model ?? undefined, units: unitsOf(one) }));
  // Calls are counted over all turns.
  return {
    units,
    turns: Object.keys(calls).length === 0 ? turns : [...turns, { model: undefined, units: calls }],
  };
}

function unitsOf(counted: z.infer<typeof turn>) {
  const cachedInputTokens = counted.cache_read_input_tokens ?? 0;
  const written = counted.cache_creation_input_tokens ?? 0;
  const cacheWrite1hTokens = Math.min(written, counted.cache_creation?.ephemeral_1h_input_tokens ?? 0);
  return {
    inputTokens: (counted.input_tokens ?? 0) + cachedInputTokens + written,
    cachedInputTokens,
    cacheWriteTokens: written - cacheWrite1hTokens,
    cacheWrite1hTokens,
    outputTokens: counted.output_tokens ?? 0,
  };
}
