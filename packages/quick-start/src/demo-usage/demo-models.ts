import { type Capability, type CatalogModel, type Price, priceOf } from '@model-gateway/shared';

export interface PricedModel extends CatalogModel {
  /** The version of the pricing in force; undefined where there is none, as for free models. */
  priceVersion: number | undefined;
}

export interface DemoModel {
  id: string;
  capability: Capability;
  /** Undefined when the model is free of charge. */
  price: { version: number; of: Price } | undefined;
  /** The providers in the order in which they are tried; at least one. */
  providerIds: readonly string[];
  contextLength: number | undefined;
  maxOutputTokens: number | undefined;
}

/** Each capability has two paid models and a free one. The first paid one is used most often. */
const PAID_WEIGHTS = [6, 2] as const;
const FREE_WEIGHT = 2;

/** Returns the models of the made-up usage by capability, each with its weight against the others. */
export function demoModels(
  catalog: readonly PricedModel[],
): Map<Capability, (readonly [DemoModel, weight: number])[]> {
  const inUse = catalog.filter(({ deprecated_at }) => deprecated_at === undefined);
  const byCapability = Map.groupBy(inUse.flatMap(demoModel), ({ capability }) => capability);
  const chosen = new Map<Capability, (readonly [DemoModel, weight: number])[]>();
  for (const [capability, models] of byCapability) {
    const paid = models.filter(({ price }) => price !== undefined).slice(0, PAID_WEIGHTS.length);
    const free = models.filter(({ price }) => price === undefined).slice(0, 1);
    chosen.set(capability, [
      ...paid.map((model, index) => [model, PAID_WEIGHTS[index] ?? 1] as const),
      ...free.map((model) => [model, FREE_WEIGHT] as const),
    ]);
  }
  return chosen;
}

/** @returns nothing for a paid model without a price, because nobody can use it */
function demoModel(model: PricedModel): DemoModel[] {
  const { id, capability, tier, pricing, priceVersion, upstreams } = model;
  if (tier === 'paid' && priceVersion === undefined) return [];
  return [
    {
      id,
      capability,
      price:
        tier === 'free' || priceVersion === undefined
          ? undefined
          : { version: priceVersion, of: priceOf(pricing) },
      providerIds: [...upstreams]
        .sort((left, right) => left.priority - right.priority)
        .map(({ provider }) => provider),
      contextLength: model.context_length,
      maxOutputTokens: model.max_output_tokens,
    },
  ];
}
