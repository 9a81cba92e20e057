import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { numberAt } from '../../translation/field-values.ts';
import type { AnthropicModelTraits } from './anthropic-model-traits.ts';

const MAX_TEMPERATURE = 1;
/** Models without `top_p` accept this value, which has no effect. */
const FULL_TOP_P = 0.99;
const MIN_TOP_P_WITH_THINKING = 0.95;

/** Ignores by name what the model refuses, or refuses while it thinks. */
export function anthropicSampling(
  request: JsonObject,
  { isThinking, traits }: { isThinking: boolean; traits: AnthropicModelTraits },
  reader: FieldReader,
): JsonObject {
  const isFree = traits.sampling !== 'none' && !isThinking;
  const sampling: Record<string, number> = {};
  const take = (name: string, value: number, isTaken: boolean) => {
    if (isTaken) sampling[name] = value;
    else reader.ignore(name);
  };
  if (request.temperature !== undefined) {
    const given = numberAt(request.temperature, 'temperature');
    if (given > MAX_TEMPERATURE) reader.ignore('temperature');
    const temperature = Math.min(given, MAX_TEMPERATURE);
    take('temperature', temperature, isFree || temperature === MAX_TEMPERATURE);
  }
  if (request.top_p !== undefined) {
    const given = numberAt(request.top_p, 'top_p');
    const min = traits.sampling === 'none' ? FULL_TOP_P : MIN_TOP_P_WITH_THINKING;
    const isAlone = traits.sampling !== 'one' || sampling.temperature === undefined;
    take('top_p', given, isAlone && (isFree || given >= min));
  }
  if (request.top_k !== undefined) take('top_k', numberAt(request.top_k, 'top_k'), isFree);
  return sampling;
}
