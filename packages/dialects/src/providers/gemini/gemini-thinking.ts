import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { numberAt } from '../../translation/field-values.ts';
import type { GeminiModelTraits } from './gemini-model-traits.ts';

/** Source: Google's guide "OpenAI compatibility", "Thinking". */
const BUDGETS: Readonly<Record<string, number>> = {
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};
const LEVELS: Readonly<Record<string, string>> = {
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};
const NO_EFFORT = 'none';

/** Also asks for the text of thoughts. Ignores by name what the model cannot do. */
export function geminiThinking(
  request: JsonObject,
  traits: GeminiModelTraits,
  reader: FieldReader,
): JsonObject {
  const { reasoning_effort: effort, thinking } = request;
  if (effort !== undefined && !isEffort(effort)) {
    throw reader.refusal('reasoning_effort', 'takes no such effort');
  }
  const ofThinking = thinking === undefined ? undefined : readThinking(thinking, reader);
  if (ofThinking !== undefined && effort !== undefined) reader.ignore('reasoning_effort');
  const name = ofThinking === undefined ? 'reasoning_effort' : 'thinking';
  const requested = ofThinking ?? effort;
  if (requested === undefined) return {};
  if (traits.thinking === 'none') {
    if (requested !== NO_EFFORT && requested !== 0) reader.ignore(name);
    return {};
  }
  if (requested === NO_EFFORT || requested === 0) return noThinking(traits, name, reader);
  const { max, min } = traits.budgets;
  if (typeof requested === 'number')
    return config({ thinkingBudget: Math.min(Math.max(requested, min), max) });
  if (traits.thinking === 'budget') return config({ thinkingBudget: BUDGETS[requested] ?? 0 });
  const level = requested === 'minimal' ? traits.minLevel : LEVELS[requested];
  return config({ thinkingLevel: level });
}

/** Reads `thinking` in Anthropic's form. @returns the budget, or the effort */
function readThinking(given: unknown, reader: FieldReader): string | number | undefined {
  const { budget_tokens, type } = reader.members(given, 'thinking');
  if (type === 'disabled') return NO_EFFORT;
  // Gemini thinks between calls anyway.
  if (type === 'adaptive' || type === 'between_tools') return undefined;
  if (type !== 'enabled') throw reader.refusal('thinking.type', 'takes no such thinking');
  return budget_tokens === undefined ? undefined : numberAt(budget_tokens, 'thinking.budget_tokens');
}

/** Models that cannot stop thinking get their minimum. */
function noThinking(traits: GeminiModelTraits, name: string, reader: FieldReader): JsonObject {
  const { minBudget, minLevel, thinking } = traits;
  if (thinking === 'level' || minBudget > 0) reader.ignore(name);
  const minimum = thinking === 'level' ? { thinkingLevel: minLevel } : { thinkingBudget: minBudget };
  return { thinkingConfig: minimum };
}

function config(members: JsonObject): JsonObject {
  return { thinkingConfig: { ...members, includeThoughts: true } };
}

function isEffort(effort: unknown): effort is string {
  return typeof effort === 'string' && (effort === NO_EFFORT || Object.hasOwn(LEVELS, effort));
}
