import { describe, expect, it } from 'vitest';
import { randomKey } from '../affinity/rendezvous.ts';
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
const ids = (choice: ModelChoice, key = randomKey()) => drawModels(choice, key).map(({ id }) => id);

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

  it('are all members, in the same order for the same key, and then the fallbacks', () => {
    const key = randomKey();
    const drawn = ids(rollout, key);
    expect(drawn.slice(0, 3).toSorted()).toEqual(['a/canary', 'a/spare', 'a/stable']);
    expect(drawn[3]).toBe('a/last');
    const [one, two, three] = rollout.members;
    const turned: ModelChoice = { ...rollout, members: [three ?? one, two ?? one, one] };
    for (let time = 0; time < 10; time++) expect(ids(turned, key)).toEqual(drawn);
  });

  it.each([
    ['that have no conversation', rollout, undefined],
    ['of a virtual model without affinity', { ...rollout, affinity: 'none' as const }, randomKey()],
  ])('give a canary of 5 % its share of 10,000 requests %s', (_name, choice, key) => {
    const draws = 10_000;
    const [share, sigmas] = [0.05, 6];
    let drawn = 0;
    for (let time = 0; time < draws; time++) if (drawModels(choice, key)[0] === canary) drawn += 1;
    // Two of a billion runs are outside by chance.
    const bound = sigmas * Math.sqrt(draws * share * (1 - share));
    expect(Math.abs(drawn - draws * share)).toBeLessThan(bound);
  });
});
