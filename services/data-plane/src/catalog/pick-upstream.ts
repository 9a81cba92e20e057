import type { RoutedModel, RoutedUpstream } from './model-table.ts';

/**
 * Picks, by weight, a usable upstream of the best priority.
 * @param random uniform in [0, 1)
 * @returns undefined if none is usable
 */
export function pickUpstream(
  model: RoutedModel,
  usable: (upstream: RoutedUpstream) => boolean,
  random: () => number = Math.random,
): RoutedUpstream | undefined {
  const [only] = model.upstreams;
  if (model.upstreams.length === 1) return only !== undefined && usable(only) ? only : undefined;
  const candidates = model.upstreams.filter(usable);
  const best = Math.min(...candidates.map((upstream) => upstream.priority));
  const group = candidates.filter((upstream) => upstream.priority === best);
  let draw = random() * group.reduce((sum, upstream) => sum + upstream.weight, 0);
  for (const upstream of group) {
    draw -= upstream.weight;
    if (draw < 0) return upstream;
  }
  return group.at(-1);
}
