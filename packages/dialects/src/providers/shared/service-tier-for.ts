import { DEFAULT_TIER, readServiceTier } from '@model-gateway/shared';
import { notExpressible } from '@model-gateway/shared/errors';
import type { Chat } from '../../interfaces/chat.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { textAt } from '../../translation/field-values.ts';

/** A provider's word for each tier that it has; undefined: the tier needs no word. */
export type TierWords = ReadonlyMap<string, string | undefined>;

export const NO_TIERS: TierWords = new Map();

/**
 * Returns the provider's word for the requested service tier; undefined: send none.
 * @throws GatewayError 400 for a tier that the provider does not have
 */
export function serviceTierFor(given: unknown, words: TierWords, reader: FieldReader): string | undefined {
  if (given === undefined) return undefined;
  const tier = readServiceTier(textAt(given, 'service_tier'));
  if (lacks(words, tier)) throw reader.refusal('service_tier', notServedAt(tier));
  return tier === undefined ? undefined : words.get(tier);
}

/** @throws GatewayError 400 as `serviceTierFor`, for a request that is not translated */
export function requireTier({ body, model }: Chat, words: TierWords): void {
  const { serviceTier } = body.value;
  if (lacks(words, serviceTier)) throw notExpressible(model.id, 'service_tier', notServedAt(serviceTier));
}

function lacks(words: TierWords, tier: string | undefined): tier is string {
  return tier !== undefined && tier !== DEFAULT_TIER && !words.has(tier);
}

function notServedAt(tier: string): string {
  return `is not served at the tier "${tier}"; leave it out`;
}
