import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { numberAt, objectAt } from '../../translation/field-values.ts';
import type { CohereModelTraits } from './cohere-model-traits.ts';

interface ThinkingInput {
  maxTokens: number | undefined;
  traits: CohereModelTraits;
  reader: FieldReader;
}

/** The most tokens that each effort may think; undefined: as many as the model likes. */
const BUDGETS: ReadonlyMap<unknown, number | undefined> = new Map([
  ['minimal', 1_024],
  ['low', 4_096],
  ['medium', 12_288],
  ['high', undefined],
  ['xhigh', undefined],
  ['max', undefined],
]);
/** The share of the answer's tokens that a budget leaves to thinking. */
const MOST_SHARE = 0.8;
const NO_EFFORT = 'none';

/**
 * How the model is asked to think. Where it cannot, it answers without, and the name is told.
 * @param request its carried members
 */
export function cohereThinking(request: JsonObject, input: ThinkingInput): JsonObject | undefined {
  const { traits, reader } = input;
  const { reasoning_effort: effort, thinking } = request;
  if (effort !== undefined && effort !== NO_EFFORT && !BUDGETS.has(effort)) {
    throw reader.refusal('reasoning_effort', 'takes no such effort');
  }
  if (thinking !== undefined) {
    const own = objectAt(thinking, 'thinking');
    // How much an adaptive model thinks, its effort says.
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

/** `budget_tokens` is what Messages calls it, `token_budget` what Cohere does. */
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

/** A budget that takes all tokens of the answer would leave none to it. */
function enabled(budget: number | undefined, { maxTokens }: ThinkingInput): JsonObject {
  if (budget === undefined && maxTokens === undefined) return { type: 'enabled' };
  const most = maxTokens === undefined ? Number.POSITIVE_INFINITY : Math.floor(maxTokens * MOST_SHARE);
  return { type: 'enabled', token_budget: Math.max(1, Math.min(budget ?? most, most)) };
}
