import { expect, it } from 'vitest';
import { disjointUnits } from './disjoint-units.ts';

it('units of bills count each token once, and reasoning as output', () => {
  expect(
    disjointUnits({
      inputTokens: 1_000n,
      cachedInputTokens: 300n,
      cacheWrite1hTokens: 200n,
      imageInputTokens: 50n,
      outputTokens: 80n,
      reasoningTokens: 30n,
      audioOutputTokens: 10n,
      webSearchRequests: 2n,
    }),
  ).toEqual({
    inputTokens: 450n,
    cachedInputTokens: 300n,
    cacheWrite1hTokens: 200n,
    imageInputTokens: 50n,
    outputTokens: 70n,
    audioOutputTokens: 10n,
    webSearchRequests: 2n,
  });
});
