import { DEFAULT_TIER, readServiceTier } from '@model-gateway/shared';
import { textAt } from '../../translation/field-values.ts';

/** Returns OpenAI's word for the tier that a caller asks for; undefined: the provider chooses. */
export function tierFromCaller(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  const word = textAt(given, 'service_tier');
  const tier = readServiceTier(word);
  return tier === undefined || tier === DEFAULT_TIER ? tier : word;
}
