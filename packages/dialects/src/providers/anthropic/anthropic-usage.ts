import { NO_UNITS, PARTS, type Units } from '@model-gateway/shared';
import { z } from 'zod';
import type { ChatCaller } from '../../interfaces/chat-caller.ts';
import type { CountedUsage } from '../../usage/counted-usage.ts';

const count = z.int().min(0).max(1_000_000_000);

const turn = z.looseObject({
  model: z.string().nullish(),
  /** Without tokens that were read from or written to a cache. */
  input_tokens: count.nullish(),
  cache_creation_input_tokens: count.nullish(),
  cache_read_input_tokens: count.nullish(),
  cache_creation: z
    .looseObject({ ephemeral_5m_input_tokens: count.nullish(), ephemeral_1h_input_tokens: count.nullish() })
    .nullish(),
  output_tokens: count.nullish(),
  output_tokens_details: z.looseObject({ thinking_tokens: count.nullish() }).nullish(),
});

/** `usage` of a response, `message_start` or `message_delta`. An absurd count fails the parse. */
export const anthropicUsage = turn.extend({
  server_tool_use: z.looseObject({ web_search_requests: count.nullish() }).nullish(),
  /** Turns behind one response: compaction, an advisor model, another model after a refusal. */
  iterations: z.array(turn).nullish(),
});

export type AnthropicUsage = z.infer<typeof anthropicUsage>;

/** Merges the usage of an event into that of earlier ones: it may leave out unchanged counts. */
export function laterAnthropicUsage(
  known: AnthropicUsage | undefined,
  later: unknown,
): AnthropicUsage | undefined {
  const parsed = anthropicUsage.safeParse(later);
  if (!parsed.success) return known;
  const reported = Object.entries(parsed.data).filter(([, value]) => value !== null && value !== undefined);
  return { ...known, ...Object.fromEntries(reported) };
}

/** Returns true if an event has a credible count of the output. */
export function hasOutput(usage: unknown): boolean {
  const parsed = anthropicUsage.safeParse(usage);
  return parsed.success && typeof parsed.data.output_tokens === 'number';
}

interface SoFar {
  /** Charged calls that the usage does not count. */
  toolCalls?: number;
  /** Searches that the usage does not count yet. */
  searches?: number;
  /** True if the count of the output is not final. */
  outputSoFar?: boolean;
}

/** Ignores a usage without input or output: the missing side would cost nothing. */
export function reportAnthropicUsage(
  caller: Pick<ChatCaller, 'count' | 'reportTier'>,
  usage: AnthropicUsage | undefined,
  { toolCalls = 0, searches = 0, outputSoFar = false }: SoFar = {},
): void {
  caller.reportTier(usage?.service_tier);
  if (!isWholeAnthropicUsage(usage)) return;
  const counted = countAnthropicUsage(usage, toolCalls, outputSoFar ? searches : 0);
  caller.count(outputSoFar ? { ...counted, outputSoFar } : counted);
}

export function isWholeAnthropicUsage(usage: AnthropicUsage | undefined): usage is AnthropicUsage {
  return typeof usage?.input_tokens === 'number' && typeof usage.output_tokens === 'number';
}

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
  const reported = iterations.map((one) => ({ model: one.model ?? undefined, units: unitsOf(one) }));
  const missing = missingFrom(reported, units);
  const turns = missing === undefined ? reported : [...reported, { model: undefined, units: missing }];
  // Calls are counted over all turns.
  return {
    units,
    turns: Object.keys(calls).length === 0 ? turns : [...turns, { model: undefined, units: calls }],
  };
}

/** Returns usage that no turn has. If turns add up to less than the whole, the counts of one are missing. */
function missingFrom(
  turns: readonly { units: CountedUsage['units'] }[],
  whole: CountedUsage['units'],
): Partial<Units> | undefined {
  const missing = (unit: keyof Units) =>
    Math.max(0, (whole[unit] ?? 0) - turns.reduce((sum, { units }) => sum + (units[unit] ?? 0), 0));
  const left = { ...NO_UNITS, inputTokens: missing('inputTokens'), outputTokens: missing('outputTokens') };
  if (left.inputTokens === 0 && left.outputTokens === 0) return undefined;
  const rest = { ...left };
  // A part is never larger than its whole.
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
