import { describe, expect, it } from 'vitest';
import { type AnthropicModelTraits, anthropicModelTraits } from './anthropic-model-traits.ts';

describe('traits of a Claude model', () => {
  it.each<
    [name: string, sampling: AnthropicModelTraits['sampling'], thinking: AnthropicModelTraits['thinking']]
  >([
    ['claude-instant-1.2', 'all', 'none'],
    ['claude-3-haiku-20240307', 'all', 'none'],
    ['claude-3-5-sonnet-20241022', 'all', 'none'],
    ['claude-3-7-sonnet-20250219', 'all', 'budget'],
    ['claude-sonnet-4-20250514', 'all', 'budget'],
    ['claude-opus-4@20250514', 'all', 'budget'],
    ['claude-opus-4-1-20250805', 'one', 'budget'],
    ['anthropic.claude-haiku-4-5-20251001-v1:0', 'one', 'budget'],
    ['claude-opus-4.6', 'one', 'adaptive'],
    ['claude-opus-4-7', 'none', 'adaptive'],
    ['claude-opus-4-10', 'none', 'adaptive'],
    ['claude-sonnet-5', 'none', 'adaptive'],
    ['claude-fable-5-1', 'none', 'adaptive'],
    ['claude-opus-12-20300101', 'none', 'adaptive'],
    ['claude-mythos-preview', 'all', 'adaptive'],
    ['some-other-4-7', 'all', 'budget'],
  ])('the traits of a Claude are read from its name: %s', (name, sampling, thinking) => {
    expect(anthropicModelTraits(name)).toMatchObject({ sampling, thinking });
  });

  it.each<[name: string, forcesTools: boolean, systemTurns: boolean]>([
    ['claude-opus-4-7', true, false],
    ['claude-opus-4-8', true, true],
    ['claude-sonnet-5', true, false],
    ['claude-fable-5', true, true],
    ['claude-fable-5-1', false, true],
    ['anthropic.claude-opus-5-5', false, true],
    ['some-other-model', true, false],
  ])(
    'the name of a model says whether it can be made to call tools, and has system turns: %s',
    (name, forcesTools, systemTurns) => {
      expect(anthropicModelTraits(name)).toMatchObject({ forcesTools, systemTurns });
    },
  );

  it('the newest models think without being asked', () => {
    expect(anthropicModelTraits('claude-opus-5').thinksUnasked).toBe(true);
    expect(anthropicModelTraits('claude-opus-4-8').thinksUnasked).toBe(false);
  });
});
