import type { VirtualModelMessage } from '@model-gateway/contracts';
import { expect, it } from 'vitest';
import { modelObjectFixture } from './model-object-fixture.ts';
import { virtualModelObjects } from './virtual-model-objects.ts';

function virtual(...models: string[]): VirtualModelMessage {
  return {
    id: 'acme/mixed',
    name: 'Mixed',
    description: 'Two of them.',
    models: models.map((model, index) => ({ model, weight: index + 1 })),
    aliases: ['mixed'],
    fallbacks: [],
    createdAt: '5',
    deprecatedAt: '9',
  };
}

const cheap = modelObjectFixture('acme/cheap', {
  tier: 'paid',
  context_length: 100_000,
  max_output_tokens: null,
  tokens_per_media_part: 10,
  tokens_per_file_part: 100,
  input_modalities: ['text', 'image'],
  pricing: { input_per_million_usd: '1', output_per_million_usd: '2', cached_input_per_million_usd: '0.5' },
  endpoints: ['/v1/chat/completions'],
  status: 'major_outage',
});
const dear = modelObjectFixture('acme/dear', {
  tier: 'paid',
  context_length: 32_000,
  max_output_tokens: 4_000,
  tokens_per_media_part: 20,
  tokens_per_file_part: 200,
  input_modalities: ['audio', 'text'],
  pricing: { input_per_million_usd: '0.9', output_per_million_usd: '2.2' },
  status: 'degraded_performance',
  configuration: 'partly_configured',
});

it('a virtual model can do what all of its models can, for the prices of the dearest', () => {
  const [shown, ...more] = virtualModelObjects([virtual('acme/cheap', 'acme/dear')], [cheap, dear]);
  expect(more).toEqual([]);
  expect(shown).toEqual({
    id: 'acme/mixed',
    object: 'model',
    created: 5,
    owned_by: 'acme',
    name: 'Mixed',
    description: 'Two of them.',
    deprecated_at: 9,
    aliases: ['mixed'],
    capability: 'chat',
    tier: 'paid',
    context_length: 32_000,
    max_output_tokens: 4_000,
    tokens_per_media_part: 20,
    tokens_per_file_part: 200,
    input_modalities: ['text'],
    output_modalities: ['text'],
    pricing: dear.pricing,
    endpoints: ['/v1/chat/completions'],
    status: 'degraded_performance',
    configuration: 'partly_configured',
    models: [
      { model: 'acme/cheap', weight: 1 },
      { model: 'acme/dear', weight: 2 },
    ],
  });
});

it('models that only newer releases know are left out, and a virtual one of these alone', () => {
  expect(virtualModelObjects([virtual('acme/newer', 'acme/cheap')], [cheap])).toMatchObject([
    { models: [{ model: 'acme/cheap', weight: 2 }], context_length: 100_000, max_output_tokens: null },
  ]);
  expect(virtualModelObjects([virtual('acme/newer')], [cheap])).toEqual([]);
});

it('a virtual model whose models do not all limit a file has no limit of its own', () => {
  const { tokens_per_file_part: _, ...unlimited } = dear;
  const [shown] = virtualModelObjects([virtual('acme/cheap', 'acme/dear')], [cheap, unlimited]);
  expect(shown).not.toHaveProperty('tokens_per_file_part');
});
