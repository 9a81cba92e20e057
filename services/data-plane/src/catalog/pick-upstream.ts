import { type AffinityKey, randomKey, rankMembers } from '../affinity/rendezvous.ts';
import type { RoutedModel, RoutedUpstream } from './model-table.ts';

/**
 * Picks, by weight, a usable upstream of the best priority.
 * @param key the conversation's; undefined: a random choice
 * @returns undefined if none is usable
 */
export function pickUpstream(
  model: RoutedModel,
  usable: (upstream: RoutedUpstream) => boolean,
  key: AffinityKey | undefined,
): RoutedUpstream | undefined {
  const [only] = model.upstreams;
  if (model.upstreams.length === 1) return only !== undefined && usable(only) ? only : undefined;
  const candidates = model.upstreams.filter(usable);
  const best = Math.min(...candidates.map((upstream) => upstream.priority));
  const group = candidates.filter((upstream) => upstream.priority === best);
  return group.length === 1 ? group[0] : rankMembers(group, key ?? randomKey(), idOf)[0];
}

function idOf({ model, provider }: RoutedUpstream): string {
  return `${provider.id}\0${model}`;
}
