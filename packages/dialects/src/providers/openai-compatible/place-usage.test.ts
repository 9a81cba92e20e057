import { presetTraits } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import { hasOpenAiUsage, placeUsage } from './place-usage.ts';

const response = { choices: [{ usage: { prompt_tokens: 9, cached_tokens: 4 } }] };

it('usage of Moonshot in a choice, with its own name for cached tokens, moves to where OpenAI has it', () => {
  const traits = presetTraits('moonshot');
  expect(hasOpenAiUsage(traits)).toBe(false);
  expect(placeUsage(traits)(response)).toMatchObject({
    usage: { prompt_tokens: 9, prompt_tokens_details: { cached_tokens: 4 } },
  });
});

it('usage of a server that has it where OpenAI does stays as it is', () => {
  const traits = presetTraits('groq');
  expect(hasOpenAiUsage(traits)).toBe(true);
  expect(placeUsage(traits)(response)).toBe(response);
});
