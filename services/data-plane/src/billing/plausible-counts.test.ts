import { expect, it } from 'vitest';
import { isPlausibleInput } from './plausible-counts.ts';

it.each([
  ['a million tokens of a short request, which may name images', 1_000_000, 50, true],
  ['more than a million tokens of a short request', 1_000_001, 50, false],
  ['a token for each byte of a long request', 3_000_000, 3_000_000, true],
  ['more tokens than a long request has bytes', 3_000_001, 3_000_000, false],
])('%s', (_name, tokens, bytes, isPlausible) => {
  expect(isPlausibleInput(tokens, bytes)).toBe(isPlausible);
});
