import { chatUsage, NO_UNITS, unitsFit } from '@model-gateway/shared';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chatUnits } from './chat-units.ts';

const NO_SEARCH = { webSearchRequests: 0 };

function unitsOf(usage: unknown) {
  return chatUnits(chatUsage.parse(usage), NO_SEARCH);
}

it('every part that a provider reports is a separate unit', () => {
  expect(
    unitsOf({
      prompt_tokens: 1_000,
      completion_tokens: 500,
      prompt_tokens_details: {
        cached_tokens: 100,
        cache_write_tokens: 200,
        audio_tokens: 30,
        image_tokens: 40,
      },
      completion_tokens_details: { reasoning_tokens: 50, audio_tokens: 60, image_tokens: 70 },
    }),
  ).toEqual({
    ...NO_UNITS,
    inputTokens: 1_000,
    cachedInputTokens: 100,
    cacheWriteTokens: 200,
    audioInputTokens: 30,
    imageInputTokens: 40,
    outputTokens: 500,
    reasoningTokens: 50,
    audioOutputTokens: 60,
    imageOutputTokens: 70,
  });
});

it('a token in two parts counts in the first', () => {
  expect(
    unitsOf({
      prompt_tokens: 100,
      completion_tokens: 10,
      prompt_tokens_details: { cached_tokens: 90, audio_tokens: 80 },
      completion_tokens_details: { reasoning_tokens: 99 },
    }),
  ).toMatchObject({ cachedInputTokens: 90, audioInputTokens: 10, outputTokens: 10, reasoningTokens: 10 });
});

it('reasoning that only the total counts is part of the output', () => {
  expect(
    unitsOf({
      prompt_tokens: 12,
      completion_tokens: 5,
      total_tokens: 317,
      completion_tokens_details: { reasoning_tokens: 300 },
    }),
  ).toMatchObject({ outputTokens: 305, reasoningTokens: 300 });
});

it('parts that cannot be true leave the count of their whole unchanged', () => {
  for (const details of [
    { audio_tokens: -1 },
    { audio_tokens: 'many' },
    'words',
    null,
    [],
    { reasoning_tokens: 1.5 },
  ]) {
    const units = unitsOf({ prompt_tokens: 7, completion_tokens: 5, completion_tokens_details: details });
    expect(units).toEqual({ ...NO_UNITS, inputTokens: 7, outputTokens: 5 });
  }
});

it('parts never exceed their total, whatever a provider reports', () => {
  const count = fc.option(fc.nat(2_000), { nil: null });
  const usage = fc.record({
    prompt_tokens: fc.nat(2_000),
    completion_tokens: fc.nat(2_000),
    total_tokens: count,
    prompt_tokens_details: fc.record({
      cached_tokens: count,
      cache_write_tokens: count,
      audio_tokens: count,
      image_tokens: count,
    }),
    completion_tokens_details: fc.record({
      reasoning_tokens: count,
      audio_tokens: count,
      image_tokens: count,
    }),
  });
  fc.assert(fc.property(usage, (told) => unitsFit(unitsOf(told))));
});

it.each([
  ['Moonshot', { cached_tokens: 900 }],
  ['DeepSeek', { prompt_cache_hit_tokens: 900, prompt_cache_miss_tokens: 100 }],
  ['a provider that says it twice', { cached_tokens: 1, prompt_tokens_details: { cached_tokens: 900 } }],
])('cached tokens are found where %s reports them', (_, more) => {
  const units = unitsOf({ prompt_tokens: 1_000, completion_tokens: 10, ...more });
  expect(units).toMatchObject({ inputTokens: 1_000, cachedInputTokens: 900 });
});
