import { expect, it } from 'vitest';
import { tokenizerOf } from './tokenizer-of.ts';

it.each([
  ['gpt-3.5-turbo', 'cl100k_base'],
  ['gpt-35-turbo', 'cl100k_base'],
  ['gpt-4', 'cl100k_base'],
  ['gpt-4-turbo-2024-04-09', 'cl100k_base'],
  ['text-embedding-3-small', 'cl100k_base'],
  ['gpt-4o', 'o200k_base'],
  ['gpt-4o-mini-2024-07-18', 'o200k_base'],
  ['gpt-4.1-nano', 'o200k_base'],
  ['GPT-5.2', 'o200k_base'],
  ['gpt-oss-120b', 'o200k_base'],
  ['chatgpt-4o-latest', 'o200k_base'],
  ['o1', 'o200k_base'],
  ['o3-mini', 'o200k_base'],
  ['o4-mini', 'o200k_base'],
  ['openai/gpt-4o', 'o200k_base'],
  ['ft:gpt-4o-mini:acme::id', 'o200k_base'],
  ['ft:gpt-3.5-turbo:acme::id', 'cl100k_base'],
])('%s is counted with %s', (model, tokenizer) => {
  expect(tokenizerOf(model)).toBe(tokenizer);
});

it.each(['claude-sonnet-4-6', 'llama-3.3-70b', 'gemini-3-pro', 'olmo-2', 'sim-chat-pro', 'not-gpt-4o', ''])(
  '%s has no known tokenizer',
  (model) => {
    expect(tokenizerOf(model)).toBeUndefined();
  },
);
