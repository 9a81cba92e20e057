import { type PricedModel, type Usage, type UsagePart, usageOf } from '@model-gateway/dialects';
import {
  costOf,
  costOfParts,
  DEFAULT_TIER,
  isTierPriced,
  priceAtTier,
  UNPRICED_TIER,
  type Unit,
  type Units,
  unpricedUnits,
} from '@model-gateway/shared';
import type { Hold } from './payer-allowance.ts';

/**
 * Returns the cost in nano-USD, as the control plane computes it. Calls that a free model makes to other
 * models are free, too.
 */
export function costOfUsage(usage: Usage, model: Pick<PricedModel, 'price'>): bigint {
  return costAt('selling', usage, model);
}

/** Returns what the provider charges for a usage, in nano-USD. */
export function providerCostOf(usage: Usage, model: Pick<PricedModel, 'price'>): bigint {
  return costAt('cost', usage, model);
}

function costAt(which: 'selling' | 'cost', usage: Usage, { price }: Pick<PricedModel, 'price'>): bigint {
  if (price === undefined) return 0n;
  const { parts, serviceTier } = usage;
  if (parts === undefined) return costOf(usage, priceAtTier(price[which], serviceTier));
  return costOfParts(
    parts.flatMap(({ model, units }) =>
      model.price === undefined ? [] : [{ units, price: priceAtTier(model.price[which], serviceTier) }],
    ),
  );
}

/** Returns the cost. Clamped counts cost at most the hold, at the control plane, too. */
export function costInHold(
  usage: Usage,
  model: Pick<PricedModel, 'price'>,
  hold: Pick<Hold, 'nanoUsd'> | undefined,
): bigint {
  const cost = costOfUsage(usage, model);
  const isAbove = usage.isClamped === true && hold !== undefined && cost > hold.nanoUsd;
  return isAbove ? hold.nanoUsd : cost;
}

/** All that a request can use, and the service tier that it asks for. */
export type UsageBounds = Pick<Hold, 'serviceTier'> & { maxUnits: Units };

export function estimateAll({ maxUnits, serviceTier }: UsageBounds): Usage {
  const usage = usageOf('estimated', maxUnits);
  return serviceTier === undefined || serviceTier === DEFAULT_TIER ? usage : { ...usage, serviceTier };
}

/** Returns the usage for a request that cannot be counted: it costs at most its hold. */
export function maxUsage(bounds: UsageBounds): Usage {
  return { ...estimateAll(bounds), isClamped: true };
}

/** Units, or a service tier, that the model has no price for, charged at another price. */
export interface UnpricedUse {
  modelId: string;
  unit: Unit | typeof UNPRICED_TIER;
  count: number;
}

/** Finds the units of a request that were charged at another price, and its tier if that has none. */
export function unpricedUses(usage: Usage, model: PricedModel): readonly UnpricedUse[] {
  if (model.price === undefined) return [];
  const { parts, serviceTier } = usage;
  return parts === undefined
    ? ofPart({ model, units: usage }, serviceTier)
    : parts.flatMap((part) => ofPart(part, serviceTier));
}

function ofPart({ model: { id, price }, units }: UsagePart, serviceTier: string | undefined): UnpricedUse[] {
  if (price === undefined) return [];
  const uses: UnpricedUse[] = unpricedUnits(units, priceAtTier(price.selling, serviceTier)).map((unit) => ({
    modelId: id,
    unit,
    count: units[unit],
  }));
  if (!isTierPriced(price.cost, serviceTier)) uses.push({ modelId: id, unit: UNPRICED_TIER, count: 1 });
  return uses;
}
