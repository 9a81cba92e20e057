import { describe, expect, it } from 'vitest';
import { drawModels } from './draw-models.ts';
import type { ModelChoice, RoutedModel } from './model-table.ts';

const model = (id: string): RoutedModel => ({
  id,
  capability: 'chat',
  tier: 'free',
  contextLength: undefined,
  maxOutputTokens: undefined,
  mediaPartTokens: 1_600,
  filePartTokens: 1_600,
  price: undefined,
  upstreams: [],
});
const [stable, canary, spare, last] = ['a/stable', 'a/canary', 'a/spare', 'a/last'].map(model) as [
  RoutedModel,
  RoutedModel,
  RoutedModel,
  RoutedModel,
];
const ids = (choice: ModelChoice, draw = 0) => drawModels(choice, () => draw).map(({ id }) => id);

const rollout: ModelChoice = {
  members: [
    { model: canary, weight: 5 },
    { model: spare, weight: 35 },
    { model: stable, weight: 60 },
  ],
  fallbacks: [last],
};

describe('the models drawn for a name', () => {
  it('are its only model, then the fallbacks in order', () => {
    expect(ids({ members: [{ model: stable, weight: 1 }], fallbacks: [] })).toEqual(['a/stable']);
    expect(ids({ members: [{ model: stable, weight: 1 }], fallbacks: [spare, canary] })).toEqual([
      'a/stable',
      'a/spare',
      'a/canary',
    ]);
  });

  it('are the drawn member, then the others by descending weight, then the fallbacks', () => {
    expect(ids(rollout, 0.04)).toEqual(['a/canary', 'a/stable', 'a/spare', 'a/last']);
    expect(ids(rollout, 0.06)).toEqual(['a/spare', 'a/stable', 'a/canary', 'a/last']);
    expect(ids(rollout, 0.99)).toEqual(['a/stable', 'a/spare', 'a/canary', 'a/last']);
  });

  it('give a canary of 5 % its share of 10,000 requests', () => {
    const draws = 10_000;
    const [share, sigmas] = [0.05, 6];
    let drawn = 0;
    for (let time = 0; time < draws; time++) if (drawModels(rollout)[0] === canary) drawn += 1;
    // Two of a billion runs are outside by chance.
    const bound = sigmas * Math.sqrt(draws * share * (1 - share));
    expect(Math.abs(drawn - draws * share)).toBeLessThan(bound);
  });
});
