import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { numberAt, objectAt } from '../../translation/field-values.ts';
import type { CohereModelTraits } from './cohere-model-traits.ts';

interface ThinkingInput {
  maxTokens: number | undefined;
  traits: CohereModelTraits;
  reader: FieldReader;
}

/** Maximum of thinking tokens by effort; undefined: no limit. */
const BUDGETS: ReadonlyMap<unknown, number | undefined> = new Map([
  ['minimal', 1_024],
  ['low', 4_096],
  ['medium', 12_288],
  ['high', undefined],
  ['xhigh', undefined],
  ['max', undefined],
]);
/** The share of `max_tokens` that thinking may use. */
const MAX_SHARE = 0.8;
const NO_EFFORT = 'none';

/** Ignores thinking, by name, for models without it. */
export function cohereThinking(request: JsonObject, input: ThinkingInput): JsonObject | undefined {
  const { traits, reader } = input;
  const { reasoning_effort: effort, thinking } = request;
  if (effort !== undefined && effort !== NO_EFFORT && !BUDGETS.has(effort)) {
    throw reader.refusal('reasoning_effort', 'takes no such effort');
  }
  if (thinking !== undefined) {
    const own = objectAt(thinking, 'thinking');
    // Adaptive thinking follows the effort.
    if (effort === undefined || own.type !== 'adaptive') {
      if (effort !== undefined) reader.ignore('reasoning_effort');
      return callersThinking(own, input);
    }
  }
  if (effort === undefined) return undefined;
  if (!traits.thinks) {
    if (effort !== NO_EFFORT) reader.ignore('reasoning_effort');
    return undefined;
  }
  return effort === NO_EFFORT ? { type: 'disabled' } : enabled(BUDGETS.get(effort), input);
}

/** Messages has `budget_tokens`, Cohere `token_budget`. */
function callersThinking(thinking: JsonObject, input: ThinkingInput): JsonObject | undefined {
  const { traits, reader } = input;
  const isOff = thinking.type === 'disabled';
  if (!traits.thinks) {
    if (!isOff) reader.ignore('thinking');
    return undefined;
  }
  if (isOff) return { type: 'disabled' };
  const budget = thinking.token_budget ?? thinking.budget_tokens;
  if (budget === undefined || budget === null) return { type: 'enabled' };
  return enabled(numberAt(budget, 'thinking.budget_tokens'), input);
}

/** Leaves tokens for the text. */
function enabled(budget: number | undefined, { maxTokens }: ThinkingInput): JsonObject {
  if (budget === undefined && maxTokens === undefined) return { type: 'enabled' };
  const max = maxTokens === undefined ? Number.POSITIVE_INFINITY : Math.floor(maxTokens * MAX_SHARE);
  return { type: 'enabled', token_budget: Math.max(1, Math.min(budget ?? max, max)) };
}
