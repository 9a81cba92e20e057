import type { CatalogMessage, ModelMessage, VirtualModelMessage } from '@model-gateway/contracts';
import {
  CAPABILITY_ENDPOINTS,
  capability,
  filePricing,
  MEDIA_PART_TOKENS,
  type ModelObject,
  nestedPricing,
  type PriceListVersion,
  sellingServiceTiers,
  sellingTiers,
  tier,
} from '@model-gateway/shared';
import type { ConfiguredModel } from '../status/configurations.ts';

/**
 * Returns the models with upstreams as GET /v1/models shows them, sorted by id.
 * @param stateOf returns the status and configuration of a model, by its id
 * @param list the price list that decides the prices; undefined: those of the catalog
 */
export function modelObjects(
  catalog: CatalogMessage,
  stateOf: (modelId: string) => ConfiguredModel,
  list?: PriceListVersion,
): ModelObject[] {
  return catalog.models.flatMap((model) => modelObject(model, stateOf, list)).sort(byId);
}

export function byId(one: ModelObject, other: ModelObject): number {
  return one.id < other.id ? -1 : 1;
}

/** Leaves out a model whose capability only a newer release knows. */
function modelObject(
  model: ModelMessage,
  stateOf: (modelId: string) => ConfiguredModel,
  list: PriceListVersion | undefined,
): [] | [ModelObject] {
  const knownCapability = capability.safeParse(model.capability).data;
  const knownTier = tier.safeParse(model.tier).data;
  if (knownCapability === undefined || knownTier === undefined) return [];
  // Tiers that only a newer release can read are left out.
  const isSold = list !== undefined && knownTier === 'paid';
  const pricing = isSold ? list.sellingPricing(model.id, model.pricing) : model.pricing;
  const { service_tiers, tiers: ofFile } = filePricing(pricing);
  const tiers = sellingTiers.safeParse(ofFile).data;
  const services = sellingServiceTiers.safeParse(service_tiers).data;
  const object: ModelObject = {
    ...namedObject(model),
    capability: knownCapability,
    tier: knownTier,
    context_length: model.contextLength ?? null,
    max_output_tokens: model.maxOutputTokens ?? null,
    ...(knownCapability === 'chat'
      ? { tokens_per_media_part: model.tokensPerMediaPart ?? MEDIA_PART_TOKENS }
      : {}),
    ...(model.tokensPerFilePart === undefined ? {} : { tokens_per_file_part: model.tokensPerFilePart }),
    input_modalities: model.inputModalities,
    output_modalities: model.outputModalities,
    pricing: nestedPricing(pricing).prices,
    ...(tiers === undefined ? {} : { pricing_tiers: tiers }),
    ...(services === undefined ? {} : { pricing_service_tiers: services }),
    endpoints: [...CAPABILITY_ENDPOINTS[knownCapability]],
    ...stateOf(model.id),
  };
  return [object];
}

/** Members of every model, also of a virtual one. */
export function namedObject({
  aliases,
  createdAt,
  deprecatedAt,
  description,
  fallbacks,
  id,
  name,
}: ModelMessage | VirtualModelMessage) {
  return {
    id,
    object: 'model' as const,
    created: Number(createdAt),
    owned_by: id.slice(0, id.indexOf('/')),
    name,
    description,
    ...(deprecatedAt === undefined ? {} : { deprecated_at: Number(deprecatedAt) }),
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(fallbacks.length === 0 ? {} : { fallbacks }),
  };
}
