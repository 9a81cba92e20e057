import type { CatalogMessage, ModelMessage } from '@model-gateway/contracts';
import {
  CAPABILITY_ENDPOINTS,
  capability,
  filePricing,
  MEDIA_PART_TOKENS,
  type ModelObject,
  nestedPricing,
  priceTiers,
  tier,
} from '@model-gateway/shared';
import type { ConfiguredModel } from '../status/configurations.ts';

/**
 * Returns the catalog as GET /v1/models shows it, sorted by id.
 * @param stateOf returns how a model does, by its id
 */
export function modelObjects(
  catalog: CatalogMessage,
  stateOf: (modelId: string) => ConfiguredModel,
): ModelObject[] {
  return catalog.models
    .flatMap((model) => modelObject(model, stateOf))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Leaves out a model whose capability only a newer release knows. */
function modelObject(model: ModelMessage, stateOf: (modelId: string) => ConfiguredModel): [] | [ModelObject] {
  const itsCapability = capability.safeParse(model.capability).data;
  const itsTier = tier.safeParse(model.tier).data;
  if (itsCapability === undefined || itsTier === undefined) return [];
  // Tiers that only a newer release can read are left out.
  const tiers = priceTiers.safeParse(filePricing(model.pricing).tiers).data;
  const object: ModelObject = {
    id: model.id,
    object: 'model',
    created: Number(model.createdAt),
    owned_by: model.id.slice(0, model.id.indexOf('/')),
    name: model.name,
    description: model.description,
    capability: itsCapability,
    tier: itsTier,
    context_length: model.contextLength ?? null,
    max_output_tokens: model.maxOutputTokens ?? null,
    ...(itsCapability === 'chat'
      ? { tokens_per_media_part: model.tokensPerMediaPart ?? MEDIA_PART_TOKENS }
      : {}),
    input_modalities: model.inputModalities,
    output_modalities: model.outputModalities,
    pricing: nestedPricing(model.pricing).prices,
    ...(tiers === undefined ? {} : { pricing_tiers: tiers }),
    endpoints: [...CAPABILITY_ENDPOINTS[itsCapability]],
    ...stateOf(model.id),
    ...(model.deprecatedAt === undefined ? {} : { deprecated_at: Number(model.deprecatedAt) }),
  };
  return [object];
}
