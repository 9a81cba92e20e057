import type { VirtualModelMessage } from '@model-gateway/contracts';
import { type ModelObject, modelStatus, NEEDED_PRICES, parsePrice } from '@model-gateway/shared';
import { namedObject } from './model-objects.ts';

/**
 * Returns the virtual models as GET /v1/models shows them, with the abilities that all their models share.
 * @param served the models with upstreams
 */
export function virtualModelObjects(
  virtualModels: readonly VirtualModelMessage[],
  served: readonly ModelObject[],
): ModelObject[] {
  const modelById = new Map(served.map((model) => [model.id, model]));
  return virtualModels.flatMap((virtual) => {
    const models = virtual.models.filter(({ model }) => modelById.has(model));
    const [first, ...more] = models.flatMap(({ model }) => modelById.get(model) ?? []);
    return first === undefined ? [] : [{ ...namedObject(virtual), ...combineModels(first, more), models }];
  });
}

function combineModels(first: ModelObject, more: readonly ModelObject[]) {
  const all = [first, ...more];
  const mostExpensive = highestBy(all, sumOfNeededPrices);
  // The best status counts, because the other models are tried when one fails.
  const best = highestBy(all, ({ status }) => -modelStatus.options.indexOf(status));
  const mediaPartTokens = all.flatMap((model) => model.tokens_per_media_part ?? []);
  const filePartTokens = all.flatMap((model) => model.tokens_per_file_part ?? []);
  return {
    capability: first.capability,
    tier: first.tier,
    context_length: lowestKnown(all.map((model) => model.context_length)),
    max_output_tokens: lowestKnown(all.map((model) => model.max_output_tokens)),
    ...(mediaPartTokens.length === 0 ? {} : { tokens_per_media_part: Math.max(...mediaPartTokens) }),
    // Without it, one of the models reserves the rest of its context.
    ...(filePartTokens.length < all.length ? {} : { tokens_per_file_part: Math.max(...filePartTokens) }),
    input_modalities: intersectModalities(all.map((model) => model.input_modalities)),
    output_modalities: intersectModalities(all.map((model) => model.output_modalities)),
    pricing: mostExpensive.pricing,
    ...(mostExpensive.pricing_tiers === undefined ? {} : { pricing_tiers: mostExpensive.pricing_tiers }),
    ...(mostExpensive.pricing_service_tiers === undefined
      ? {}
      : { pricing_service_tiers: mostExpensive.pricing_service_tiers }),
    endpoints: first.endpoints,
    status: best.status,
    ...(best.configuration === undefined ? {} : { configuration: best.configuration }),
  };
}

function sumOfNeededPrices({ capability, pricing }: ModelObject): bigint {
  return NEEDED_PRICES[capability].reduce((sum, name) => sum + (parsePrice(pricing[name] ?? '') ?? 0n), 0n);
}

/** Returns the first model with the highest measure. */
function highestBy(
  [first, ...more]: readonly ModelObject[],
  measure: (model: ModelObject) => bigint | number,
): ModelObject {
  if (first === undefined) throw new Error('there is no model');
  return more.reduce((highest, model) => (measure(model) > measure(highest) ? model : highest), first);
}

/** Returns the lowest known value; null: none is known. */
function lowestKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.min(...known);
}

function intersectModalities([first = [], ...more]: readonly string[][]): string[] {
  return first.filter((modality) => more.every((modalities) => modalities.includes(modality)));
}
