import type { ModelChoice, RoutedModel } from './model-table.ts';

/** Models in the order in which they are tried. */
export type DrawnModels = readonly [RoutedModel, ...RoutedModel[]];

/**
 * Draws a member by weight. Returns it, the other members from the heaviest to the lightest, and the
 * fallbacks.
 * @param random uniform in [0, 1)
 */
export function drawModels(
  { members, fallbacks }: ModelChoice,
  random: () => number = Math.random,
): DrawnModels {
  // Fast path: nearly every name stands for one model.
  if (members.length === 1 && fallbacks.length === 0) return [members[0].model];
  const drawn = draw(members, random);
  const others = members
    .toSorted((one, other) => other.weight - one.weight)
    .flatMap(({ model }) => (model === drawn ? [] : [model]));
  return [drawn, ...others, ...fallbacks];
}

function draw(members: ModelChoice['members'], random: () => number): RoutedModel {
  let remaining = random() * members.reduce((sum, { weight }) => sum + weight, 0);
  for (const { model, weight } of members) {
    remaining -= weight;
    if (remaining < 0) return model;
  }
  return members[0].model;
}
