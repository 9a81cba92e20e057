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
  /** What of the output was thinking. */
  output_tokens_details: z.looseObject({ thinking_tokens: count.nullish() }).nullish(),
});

/** Anthropic's `usage`, of an answer and of the two events that have one. An absurd count fails the parse. */
export const messagesUsage = turn.extend({
  server_tool_use: z.looseObject({ web_search_requests: count.nullish() }).nullish(),
  /** The turns behind one answer: compaction, advice of another model, another model after a refusal. */
  iterations: z.array(turn).nullish(),
});

export type MessagesUsage = z.infer<typeof messagesUsage>;

/**
 * The usage of a stream as far as it is known: the last event has the final counts, and may leave out what
 * has not changed.
 */
export function laterUsage(known: MessagesUsage | undefined, later: unknown): MessagesUsage | undefined {
  const parsed = messagesUsage.safeParse(later);
  if (!parsed.success) return known;
  const said = Object.entries(parsed.data).filter(([, value]) => value !== null && value !== undefined);
  return { ...known, ...Object.fromEntries(said) };
}

/**
 * Tells what was used. A usage that lacks one of its sides is none: the missing one would cost nothing.
 * @param toolCalls of the provider's own tools that are charged by the call: its usage does not have them
 */
export function tellUsage(
  caller: { count(usage: CountedUsage): void },
  usage: MessagesUsage | undefined,
  toolCalls = 0,
): void {
  if (isWhole(usage)) caller.count(countedUsage(usage, toolCalls));
}

/** Whether a usage has its input and its output. */
export function isWhole(usage: MessagesUsage | undefined): usage is MessagesUsage {
  return typeof usage?.input_tokens === 'number' && typeof usage.output_tokens === 'number';
}

/** In the units that the gateway bills. */
export function countedUsage(
  { iterations, server_tool_use, ...whole }: MessagesUsage,
  toolCalls = 0,
): CountedUsage {
  const webSearchRequests = server_tool_use?.web_search_requests ?? 0;
  const calls = {
    ...(webSearchRequests === 0 ? {} : { webSearchRequests }),
    ...(toolCalls === 0 ? {} : { toolCalls }),
  };
  const units = { ...unitsOf(whole), ...calls };
  if (iterations === null || iterations === undefined || iterations.length === 0) return { units };
  const turns = iterations.map((one) => ({ model: one.model ?? undefined, units: unitsOf(one) }));
  // Calls are counted over all turns.
  return {
    units,
    turns: Object.keys(calls).length === 0 ? turns : [...turns, { model: undefined, units: calls }],
  };
}

function unitsOf(counted: z.infer<typeof turn>): CountedUsage['units'] {
  const cachedInputTokens = counted.cache_read_input_tokens ?? 0;
  const written = counted.cache_creation_input_tokens ?? 0;
  const cacheWrite1hTokens = Math.min(written, counted.cache_creation?.ephemeral_1h_input_tokens ?? 0);
  const outputTokens = counted.output_tokens ?? 0;
  const thinkingTokens = Math.min(outputTokens, counted.output_tokens_details?.thinking_tokens ?? 0);
  return {
    inputTokens: (counted.input_tokens ?? 0) + cachedInputTokens + written,
    cachedInputTokens,
    cacheWriteTokens: written - cacheWrite1hTokens,
    cacheWrite1hTokens,
    outputTokens,
    ...(thinkingTokens === 0 ? {} : { reasoningTokens: thinkingTokens }),
  };
}
