import { type CountedTurn, type Usage, usageOfParts } from '@model-gateway/dialects';
import { NO_UNITS } from '@model-gateway/shared';
import { applyPriceList } from '../catalog/apply-price-list.ts';
import { modelNamed } from '../catalog/model-named.ts';
import type { ModelTable, RoutedModel } from '../catalog/model-table.ts';

/**
 * Computes the usage of a response in several turns, each at the price of the model that the provider named,
 * else of the requested one.
 * @param own the requested model
 */
export function usageOfTurns(
  turns: readonly CountedTurn[],
  own: RoutedModel,
  table: ModelTable | undefined,
): Usage {
  const parts = turns.map(({ model: name, units }) => ({
    model: modelOf(name, own, table),
    units: { ...NO_UNITS, ...units },
  }));
  return usageOfParts('provider', own, parts);
}

function modelOf(name: string | undefined, own: RoutedModel, table: ModelTable | undefined): RoutedModel {
  if (name === undefined || own.upstreams.some(({ model }) => model === name)) return own;
  const named = table && modelNamed(table, name);
  // A named model without a price is charged as the requested one.
  return named?.price === undefined ? own : applyPriceList(named, own.price?.list);
}
