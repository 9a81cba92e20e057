import { expect, it } from 'vitest';
import { similarNames } from './similar-names.ts';

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
