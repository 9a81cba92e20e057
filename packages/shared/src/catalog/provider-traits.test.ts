import { expect, it } from 'vitest';
import { presetTraits, providerTraits, traitsOf } from './provider-traits.ts';
import { TRAIT_PRESETS } from './trait-presets.ts';

it.each(
  Object.entries(TRAIT_PRESETS).flatMap(([name, { hosts }]) => hosts.map((host) => [host, name] as const)),
)('a provider at %s has the traits of the preset %s', (host, name) => {
  const { data: preset } = providerTraits.safeParse(name);
  if (typeof preset !== 'string') throw new Error('no preset');
  expect(traitsOf(undefined, `https://${host}/v1`)).toEqual(presetTraits(preset));
  expect(traitsOf(undefined, `https://eu.${host}/v1`)).toEqual(presetTraits(preset));
});

it('an unknown host, and one whose name only ends alike, is generic', () => {
  for (const url of [
    'http://10.0.0.1:8000/v1',
    'https://notapi.mistral.ai.example/v1',
    'https://xapi.groq.com/v1',
  ])
    expect(traitsOf(undefined, url)).toEqual(presetTraits('generic'));
});

it('a preset goes before the host, and single traits go before the preset', () => {
  expect(traitsOf('vllm', 'https://api.mistral.ai/v1')).toEqual(presetTraits('vllm'));
  expect(traitsOf({ preset: 'groq', stop_max: 2 }, 'http://127.0.0.1/v1')).toEqual({
    ...presetTraits('groq'),
    stop_max: 2,
  });
  expect(traitsOf({ output_limit: 'max_tokens' }, 'https://api.groq.com/v1')).toEqual({
    ...presetTraits('groq'),
    output_limit: 'max_tokens',
  });
});

it('names and members of a newer release are ignored', () => {
  const url = 'https://api.groq.com/v1';
  for (const newer of [
    'telepathic',
    { preset: 'telepathic' },
    { telepathy: true },
    { output_limit: 'words' },
    7,
  ])
    expect(traitsOf(newer, url)).toEqual(presetTraits('groq'));
});

it('a catalog file with unknown traits is refused', () => {
  for (const wrong of ['telepathic', { telepathy: true }, { stop_max: -1 }, { usage_at: 'a..b' }, []])
    expect(providerTraits.safeParse(wrong).success, JSON.stringify(wrong)).toBe(false);
});
