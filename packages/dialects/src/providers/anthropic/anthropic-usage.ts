import { NO_UNITS, PARTS, type Units } from '@model-gateway/shared';
import { z } from 'zod';
import type { CountedUsage } from '../../usage/counted-usage.ts';

const count = z.int().min(0).max(1_000_000_000);

const turn = z.looseObject({
  model: z.string().nullish(),
  /** Without cached and written ones, which are counted apart. */
  input_tokens: count.nullish(),
  cache_creation_input_tokens: count.nullish(),
  cache_read_input_tokens: count.nullish(),
  cache_creation: z
    .looseObject({ ephemeral_5m_input_tokens: count.nullish(), ephemeral_1h_input_tokens: count.nullish() })
    .nullish(),
  output_tokens: count.nullish(),
  /** The thinking part of the output. */
  output_tokens_details: z.looseObject({ thinking_tokens: count.nullish() }).nullish(),
});

/** Anthropic's `usage`, of an answer and of the two events that have one. An absurd count fails the parse. */
export const anthropicUsage = turn.extend({
  server_tool_use: z.looseObject({ web_search_requests: count.nullish() }).nullish(),
  /** The turns behind one answer: compaction, advice of another model, another model after a refusal. */
  iterations: z.array(turn).nullish(),
});

export type AnthropicUsage = z.infer<typeof anthropicUsage>;

/**
 * The usage of a stream as far as it is known: the last event has the final counts, and may leave out what
 * has not changed.
 */
export function laterAnthropicUsage(
  known: AnthropicUsage | undefined,
  later: unknown,
): AnthropicUsage | undefined {
  const parsed = anthropicUsage.safeParse(later);
  if (!parsed.success) return known;
  const said = Object.entries(parsed.data).filter(([, value]) => value !== null && value !== undefined);
  return { ...known, ...Object.fromEntries(said) };
}

/** Returns true if an event has a count of the output that can be true. */
export function hasOutput(usage: unknown): boolean {
  const parsed = anthropicUsage.safeParse(usage);
  return parsed.success && typeof parsed.data.output_tokens === 'number';
}

interface SoFar {
  /** Calls of the provider's own tools that are charged by the call: its usage does not have them. */
  toolCalls?: number;
  /** Searches that were seen in an answer which its usage does not cover yet. */
  searches?: number;
  /** True if the output was counted before all of it was written. */
  outputSoFar?: boolean;
}

/** Tells what was used. A usage that lacks one of its sides is none: the missing one would cost nothing. */
export function reportAnthropicUsage(
  caller: { count(usage: CountedUsage): void },
  usage: AnthropicUsage | undefined,
  { toolCalls = 0, searches = 0, outputSoFar = false }: SoFar = {},
): void {
  if (!isWholeAnthropicUsage(usage)) return;
  const counted = countAnthropicUsage(usage, toolCalls, outputSoFar ? searches : 0);
  caller.count(outputSoFar ? { ...counted, outputSoFar } : counted);
}

/** Returns true if a usage has its input and its output. */
export function isWholeAnthropicUsage(usage: AnthropicUsage | undefined): usage is AnthropicUsage {
  return typeof usage?.input_tokens === 'number' && typeof usage.output_tokens === 'number';
}

/** In the units that the gateway bills. */
export function countAnthropicUsage(
  { iterations, server_tool_use, ...whole }: AnthropicUsage,
  toolCalls = 0,
  searches = 0,
): CountedUsage {
  const webSearchRequests = Math.max(server_tool_use?.web_search_requests ?? 0, searches);
  const calls = {
    ...(webSearchRequests === 0 ? {} : { webSearchRequests }),
    ...(toolCalls === 0 ? {} : { toolCalls }),
  };
  const units = { ...unitsOf(whole), ...calls };
  if (iterations === null || iterations === undefined || iterations.length === 0) return { units };
  const told = iterations.map((one) => ({ model: one.model ?? undefined, units: unitsOf(one) }));
  const untold = missingFrom(told, units);
  const turns = untold === undefined ? told : [...told, { model: undefined, units: untold }];
  // Calls are counted over all turns.
  return {
    units,
    turns: Object.keys(calls).length === 0 ? turns : [...turns, { model: undefined, units: calls }],
  };
}

/**
 * Returns the usage of a response beyond its turns. Turns normally add up to the figures beside them or more;
 * otherwise one of them lacks its counts, or has only those of the beginning of a stream.
 */
function missingFrom(
  turns: readonly { units: CountedUsage['units'] }[],
  whole: CountedUsage['units'],
): Partial<Units> | undefined {
  const missing = (unit: keyof Units) =>
    Math.max(0, (whole[unit] ?? 0) - turns.reduce((sum, { units }) => sum + (units[unit] ?? 0), 0));
  const left = { ...NO_UNITS, inputTokens: missing('inputTokens'), outputTokens: missing('outputTokens') };
  if (left.inputTokens === 0 && left.outputTokens === 0) return undefined;
  const rest = { ...left };
  // Parts never come to more than their whole.
  for (const { part, whole: of } of PARTS) {
    left[part.unit] = Math.min(missing(part.unit), rest[of.unit]);
    rest[of.unit] -= left[part.unit];
  }
  return left;
}

function unitsOf(counted: z.infer<typeof turn>): CountedUsage['units'] {
  const cachedInputTokens = counted.cache_read_input_tokens ?? 0;
  const for1h = counted.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  const for5m = counted.cache_creation?.ephemeral_5m_input_tokens ?? 0;
  const written = counted.cache_creation_input_tokens ?? for5m + for1h;
  const cacheWrite1hTokens = Math.min(written, for1h);
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
