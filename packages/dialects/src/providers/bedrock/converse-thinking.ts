import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { numberAt, objectAt, textAt } from '../../translation/field-values.ts';
import { lacksEarlierThinking } from '../anthropic/anthropic-thinking.ts';
import type { Turn } from '../anthropic/convert-chat-messages-to-anthropic.ts';
import type { ConverseModelTraits } from './converse-model-traits.ts';

const NO_EFFORT = 'none';
/** Models on Bedrock have three efforts. */
const EFFORTS: Readonly<Record<string, string>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};
/** Largest thinking budgets of the efforts low and medium. */
const LOW_BUDGET = 4_096;
const MEDIUM_BUDGET = 16_384;

/**
 * A model with signatures cannot think after tool calls that came without their thinking, which many callers
 * of Chat Completions drop.
 */
export function converseThinking(
  request: JsonObject,
  turns: readonly Turn[],
  { effort: field }: ConverseModelTraits,
  reader: FieldReader,
): JsonObject {
  const requested = requestedEffort(request, reader);
  if (requested === undefined) return {};
  const { effort, name } = requested;
  if (effort === NO_EFFORT && field !== 'reasoning_effort') return {};
  const converseEffort = Object.hasOwn(EFFORTS, effort) ? EFFORTS[effort] : undefined;
  const lacksThinking = field === 'reasoningConfig' && lacksEarlierThinking(turns);
  if (field === undefined || converseEffort === undefined || lacksThinking) {
    reader.ignore(name);
    return {};
  }
  if (field === 'reasoning_effort') return { reasoning_effort: converseEffort };
  // These models refuse `maxTokens` with a high effort, and without it the cost has no bound.
  if (converseEffort === 'high') reader.ignore(name);
  return {
    reasoningConfig: {
      type: 'enabled',
      maxReasoningEffort: converseEffort === 'high' ? 'medium' : converseEffort,
    },
  };
}

function requestedEffort(
  { reasoning_effort, thinking }: JsonObject,
  reader: FieldReader,
): { effort: string; name: string } | undefined {
  if (reasoning_effort !== undefined) {
    if (thinking !== undefined) reader.ignore('thinking');
    return { effort: textAt(reasoning_effort, 'reasoning_effort'), name: 'reasoning_effort' };
  }
  if (thinking === undefined) return undefined;
  const { budget_tokens, type } = objectAt(thinking, 'thinking');
  if (type === 'disabled') return { effort: NO_EFFORT, name: 'thinking' };
  const budget =
    budget_tokens === undefined ? MEDIUM_BUDGET : numberAt(budget_tokens, 'thinking.budget_tokens');
  const effort = budget <= LOW_BUDGET ? 'low' : budget <= MEDIUM_BUDGET ? 'medium' : 'high';
  return { effort, name: 'thinking' };
}
