import { expect, it } from 'vitest';
import { isListed } from './is-listed.ts';

it.each([
  ['claude-opus-5.1', ['claude-opus-5.1'], true],
  ['claude-sonnet-4-5', ['claude-sonnet-4-5-20250929'], true],
  ['gpt-4o', ['gpt-4o-2024-08-06'], true],
  ['mistral-small-latest', ['mistral-small'], true],
  ['gpt-4o', ['gpt-4o-mini'], false],
  ['gpt-6', ['gpt-6.1', 'gpt-6-astra'], false],
])('%s is found in %j: %s', (model, listed, found) => {
  expect(isListed(model, listed)).toBe(found);
});
