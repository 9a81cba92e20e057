import { type PricedModel, type Usage, type UsagePart, usageOf } from '@model-gateway/dialects';
import { costOf, costOfParts, type Unit, type Units, unpricedUnits } from '@model-gateway/shared';
import type { Hold } from './payer-allowance.ts';

/**
 * Returns the cost in nano-USD, as the control plane computes it. Calls that a free model makes to other
 * models are free, too.
 */
export function costOfUsage(usage: Usage, model: Pick<PricedModel, 'price'>): bigint {
  return costAt('of', usage, model);
}

/** Returns what the provider charges for a usage, in nano-USD. */
export function providerCostOf(usage: Usage, model: Pick<PricedModel, 'price'>): bigint {
  return costAt('cost', usage, model);
}

function costAt(which: 'of' | 'cost', usage: Usage, { price }: Pick<PricedModel, 'price'>): bigint {
  if (price === undefined) return 0n;
  if (usage.parts === undefined) return costOf(usage, price[which]);
  return costOfParts(
    usage.parts.flatMap(({ model, units }) =>
      model.price === undefined ? [] : [{ units, price: model.price[which] }],
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

/** Returns the usage for a request that cannot be counted: it costs at most its hold. */
export function maxUsage(maxUnits: Units): Usage {
  return { ...usageOf('estimated', maxUnits), isClamped: true };
}

/** Units that the model has no price for, charged at another unit's price. */
export interface UnpricedUse {
  modelId: string;
  unit: Unit;
  count: number;
}

/** Finds the units of a request that were charged at another unit's price. */
export function unpricedUses(usage: Usage, model: PricedModel): readonly UnpricedUse[] {
  if (model.price === undefined) return [];
  return usage.parts === undefined ? ofPart({ model, units: usage }) : usage.parts.flatMap(ofPart);
}

function ofPart({ model: { id, price }, units }: UsagePart): UnpricedUse[] {
  if (price === undefined) return [];
  return unpricedUnits(units, price.of).map((unit) => ({ modelId: id, unit, count: units[unit] }));
}
