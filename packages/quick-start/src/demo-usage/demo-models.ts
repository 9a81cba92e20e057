import { type Capability, type CatalogModel, type Price, priceOf } from '@model-gateway/shared';

export interface PricedModel extends CatalogModel {
  /** Of the pricing in force; undefined where there is none, as for free models. */
  priceVersion: number | undefined;
}

export interface DemoModel {
  id: string;
  capability: Capability;
  /** Undefined: free of charge. */
  price: { version: number; of: Price } | undefined;
  /** In the order in which they are tried; at least one. */
  providerIds: readonly string[];
  contextLength: number | undefined;
  maxOutputTokens: number | undefined;
}

/** Of each capability: two that cost something, and a free one; the first of them most often. */
const PAID_WEIGHTS = [6, 2] as const;
const FREE_WEIGHT = 2;

/** The models that made-up usage is of, by capability, each with how often it is used against the others. */
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

/** @returns nothing for a paid model without a price, which nobody can use */
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
