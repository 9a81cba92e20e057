import { type CountedTurn, type Usage, usageOfParts } from '@model-gateway/dialects';
import { NO_UNITS } from '@model-gateway/shared';
import { modelNamed } from '../catalog/model-named.ts';
import type { ModelTable, RoutedModel } from '../catalog/model-table.ts';

/**
 * The usage of an answer in several turns. Each costs what its model costs: the one of its name in the
 * catalog, or the one that was asked for.
 * @param own the model that was asked for
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
  // Without a price of its own it is not for nothing.
  return named?.price === undefined ? own : named;
}
