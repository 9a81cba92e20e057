import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { objectAt } from '../../translation/field-values.ts';
import type { AnthropicModelTraits } from './anthropic-model-traits.ts';
import type { Turn } from './convert-chat-messages-to-anthropic.ts';

export interface Thinking {
  thinking?: JsonObject;
  effort?: string;
}

interface ThinkingInput {
  request: JsonObject;
  maxTokens: number;
  turns: readonly Turn[];
  toolsAreForced: boolean;
  traits: AnthropicModelTraits;
  reader: FieldReader;
}

/** The share of `max_tokens` that each effort may think, and its maximum. */
const BUDGETS: Readonly<Record<string, { share: number; max: number }>> = {
  minimal: { share: 0.1, max: 1_024 },
  low: { share: 0.2, max: 4_096 },
  medium: { share: 0.5, max: 16_384 },
  high: { share: 0.8, max: 32_000 },
  xhigh: { share: 0.9, max: 64_000 },
  max: { share: 0.9, max: 64_000 },
};
const MIN_BUDGET = 1_024;
const NO_EFFORT = 'none';

/**
 * Leaves thinking out, by name, where Anthropic refuses it: with a forced tool, after a prefilled response,
 * with a budget from `max_tokens` up, and with a budget after tool calls that came without their thinking.
 */
export function anthropicThinking(input: ThinkingInput): Thinking {
  const { traits, reader, request } = input;
  const effort = request.reasoning_effort;
  if (effort !== undefined && effort !== NO_EFFORT && !isEffort(effort)) {
    throw reader.refusal('reasoning_effort', 'takes no such effort');
  }
  if (request.thinking !== undefined) return callersThinking(input, effort);
  if (effort === undefined) return {};
  if (effort === NO_EFFORT) return noThinking(input);
  if (traits.thinking === 'none') return ignoreEffort(reader);
  return traits.thinking === 'adaptive' ? adaptive(input, effort) : budgeted(input, effort);
}

function callersThinking({ traits, reader, request, ...rest }: ThinkingInput, effort: unknown): Thinking {
  const thinking = objectAt(request.thinking, 'thinking');
  if (thinking.type === 'disabled' && !traits.canStopThinking) {
    reader.ignore('thinking');
    return { effort: 'low' };
  }
  if (thinking.type === 'enabled' && !traits.takesBudget) {
    const level = isEffort(effort) ? effort : effortOfBudget(thinking.budget_tokens);
    return adaptive({ traits, reader, request, ...rest }, level, 'thinking');
  }
  const takesEffort = traits.thinking === 'adaptive' && typeof effort === 'string' && effort !== NO_EFFORT;
  if (effort !== undefined && !takesEffort) reader.ignore('reasoning_effort');
  const also = takesEffort ? { effort: effortOf(effort, traits) } : {};
  const isRefused = !mayThink(rest) || (thinking.type === 'enabled' && lacksEarlierThinking(rest.turns));
  if (thinking.type === 'disabled' || !isRefused) return { thinking, ...also };
  reader.ignore('thinking');
  return also;
}

/** Models that cannot stop thinking get a low effort. */
function noThinking({ traits, reader }: ThinkingInput): Thinking {
  if (!traits.thinksUnasked) return {};
  reader.ignore('reasoning_effort');
  return { effort: 'low' };
}

/** Returns the effort that usually comes with such a budget. */
function effortOfBudget(budget: unknown): string {
  if (typeof budget !== 'number') return 'medium';
  const found = Object.entries(BUDGETS).find(([, { max }]) => budget <= max);
  return found?.[0] ?? 'max';
}

/** @param name of the caller's field */
function adaptive(
  { traits, reader, ...rest }: ThinkingInput,
  level: string,
  name = 'reasoning_effort',
): Thinking {
  const effort = effortOf(level, traits);
  if (mayThink(rest)) {
    // Newer models hide their thinking by default.
    return { thinking: { type: 'adaptive', display: 'summarized' }, effort };
  }
  reader.ignore(name);
  return { effort };
}

function budgeted({ maxTokens, reader, ...rest }: ThinkingInput, effort: string): Thinking {
  const { share, max } = BUDGETS[effort] ?? { share: 0, max: 0 };
  const budget = Math.max(MIN_BUDGET, Math.min(max, Math.floor(maxTokens * share)));
  if (!mayThink(rest) || budget >= maxTokens || lacksEarlierThinking(rest.turns)) return ignoreEffort(reader);
  return { thinking: { type: 'enabled', budget_tokens: budget } };
}

function ignoreEffort(reader: FieldReader): Thinking {
  reader.ignore('reasoning_effort');
  return {};
}

function isEffort(effort: unknown): effort is string {
  return typeof effort === 'string' && Object.hasOwn(BUDGETS, effort);
}

function effortOf(level: string, { utmostEffort }: AnthropicModelTraits): string {
  if (level === 'minimal') return 'low';
  return level === 'xhigh' ? utmostEffort : level;
}

function mayThink({ toolsAreForced, turns }: Pick<ThinkingInput, 'toolsAreForced' | 'turns'>): boolean {
  return !toolsAreForced && turns.at(-1)?.role !== 'assistant';
}

/** Returns true if the model continues its turn after tool results, and the turn began without thinking. */
export function lacksEarlierThinking(turns: readonly Turn[]): boolean {
  const last = turns.findLast(({ role }) => role !== 'system');
  if (last?.content[0]?.type !== 'tool_result') return false;
  const begun = turns.findLast(({ role }) => role === 'assistant')?.content[0]?.type;
  return begun !== 'thinking' && begun !== 'redacted_thinking';
}
