import { expect, it } from 'vitest';
import { absentProvider, similarNames } from './similar-names.ts';

const NAMES = ['openai/gpt-5.5', 'openai/gpt-5.5-mini', 'anthropic/claude-opus-5', 'acme/small', 'fast'];

it.each([
  ['gpt-5.5', ['openai/gpt-5.5', 'openai/gpt-5.5-mini']],
  ['openai/gpt-55', ['openai/gpt-5.5', 'openai/gpt-5.5-mini']],
  ['bedrock/claude-opus-5', ['anthropic/claude-opus-5']],
  ['Claude-Opus-5', ['anthropic/claude-opus-5']],
  ['fsat', []],
  ['something-else', []],
  ['', []],
  ['x'.repeat(100_000), []],
])('the names similar to %s are the nearest ones', (requested, names) => {
  expect(similarNames(NAMES, requested)).toEqual(names);
});

it.each([
  ['bedrock/claude-opus-5', 'bedrock'],
  ['opena/gpt-5.5', 'opena'],
  ['OpenAI/gpt-5.4', undefined],
  ['gpt-5.5', undefined],
  ['/gpt-5.5', undefined],
  ['', undefined],
])('the provider of %s that has no models is %s', (requested, provider) => {
  expect(absentProvider(NAMES, requested)).toBe(provider);
});
