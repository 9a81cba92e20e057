import { type AffinityKey, randomKey, rankMembers } from '../affinity/rendezvous.ts';
import type { ModelChoice, RoutedModel } from './model-table.ts';

/** Models in the order in which they are tried. */
export type DrawnModels = readonly [RoutedModel, ...RoutedModel[]];

/**
 * Draws an order of the members by weight, and adds the fallbacks.
 * @param key the conversation's; undefined: a random order
 */
export function drawModels(
  { affinity, members, fallbacks }: ModelChoice,
  key: AffinityKey | undefined,
): DrawnModels {
  const [only] = members;
  // Fast path: nearly every name stands for one model.
  if (members.length === 1) return [only.model, ...fallbacks];
  const ranked = rankMembers(members, keyOf(affinity, key), ({ model }) => model.id);
  const [first = only, ...others] = ranked;
  return [first.model, ...others.map(({ model }) => model), ...fallbacks];
}

function keyOf(affinity: ModelChoice['affinity'], key: AffinityKey | undefined): AffinityKey {
  return affinity === 'none' || key === undefined ? randomKey() : key;
}
