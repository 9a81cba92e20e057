import { describe, expect, it } from 'vitest';
import { matchModel } from './match-models.ts';
import { priceSourceOf } from './read-source.ts';
import type { PriceSourceFile } from './source-model.ts';

function sourceOf(content: unknown): PriceSourceFile {
  const source = priceSourceOf(content);
  if (source === undefined) throw new Error('not a price file');
  return source;
}

const litellm = (entries: Record<string, string>) =>
  sourceOf(
    Object.fromEntries(
      Object.entries(entries).map(([key, of]) => [
        key,
        of.startsWith('=') ? { alias_of: of.slice(1) } : { litellm_provider: of },
      ]),
    ),
  );

const LITELLM = litellm({
  'gpt-5.5': 'openai',
  'gpt-5.5-2026-04-23': 'openai',
  'gpt-4o-2024-08-06': 'openai',
  'gpt-4o-2024-11-20': 'openai',
  'azure/gpt-5.5': 'azure',
  'azure/us/gpt-5.5': 'azure',
  'openrouter/openai/gpt-5.5': 'openrouter',
  'claude-haiku-4-5-20251001': 'anthropic',
  'claude-next': 'bedrock',
  'vertex_ai/claude-haiku-4-5@20251001': 'vertex_ai-anthropic_models',
  'vertex_ai/claude-opus-4-6': 'vertex_ai-anthropic_models',
  'vertex_ai/claude-opus-4-6@default': 'vertex_ai-anthropic_models',
  'gemini-3.8-flash': 'vertex_ai-language-models',
  'gemini/gemini-3.8-flash': 'gemini',
  'anthropic.claude-opus-4-6-v1': 'bedrock_converse',
  'us.anthropic.claude-opus-4-6-v1': 'bedrock_converse',
  'global.anthropic.claude-sonnet-4-5-20250929-v1:0': 'bedrock_converse',
  'bedrock/claude-opus-latest': '=anthropic.claude-opus-4-6-v1',
  'cohere/embed-v4.0': 'cohere',
  'command-r-08-2024': 'cohere_chat',
  'groq/openai/gpt-oss-20b': 'groq',
  'mistral/mistral-small-latest': 'mistral',
});

const at = (kind: string, baseUrl = 'https://provider.example') => ({ kind, baseUrl });
const openai = at('openai-compatible', 'https://api.openai.com/v1');

describe("an entry of litellm's file", () => {
  it.each([
    [openai, 'gpt-5.5', ['gpt-5.5']],
    [openai, 'gpt-5.5-2026-04-23', ['gpt-5.5-2026-04-23']],
    [openai, 'gpt-4o', ['gpt-4o-2024-08-06', 'gpt-4o-2024-11-20']],
    [openai, 'gpt-5.5-2027-01-01', ['gpt-5.5']],
    [openai, 'gpt-5', []],
    [at('openai-compatible', 'https://proxy.example/v1'), 'gpt-5.5', []],
    [
      at('openai-compatible', 'https://openrouter.ai/api/v1'),
      'openai/gpt-5.5',
      ['openrouter/openai/gpt-5.5'],
    ],
    [at('azure-openai'), 'gpt-5.5', ['azure/gpt-5.5']],
    [at('azure-openai'), 'my-deployment', []],
    [at('anthropic'), 'claude-haiku-4-5', ['claude-haiku-4-5-20251001']],
    [at('anthropic'), 'claude-next', []],
    [at('vertex'), 'claude-haiku-4-5', ['vertex_ai/claude-haiku-4-5@20251001']],
    [at('vertex'), 'claude-opus-4-6', ['vertex_ai/claude-opus-4-6']],
    [
      at('vertex'),
      'claude-opus-4-6@20260205',
      ['vertex_ai/claude-opus-4-6', 'vertex_ai/claude-opus-4-6@default'],
    ],
    [at('vertex'), 'gemini-3.8-flash', ['gemini-3.8-flash']],
    [at('gemini'), 'gemini-3.8-flash', ['gemini/gemini-3.8-flash']],
    [at('bedrock'), 'us.anthropic.claude-opus-4-6-v1', ['us.anthropic.claude-opus-4-6-v1']],
    [at('bedrock'), 'eu.anthropic.claude-opus-4-6-v1', []],
    [at('bedrock'), 'claude-opus-latest', ['bedrock/claude-opus-latest']],
    [
      at('bedrock'),
      'arn:aws:bedrock:eu-west-1:1:inference-profile/global.anthropic.claude-sonnet-4-5-20250929-v1:0',
      ['global.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ],
    [at('cohere'), 'embed-v4.0', ['cohere/embed-v4.0']],
    [at('cohere'), 'command-r-08-2024', ['command-r-08-2024']],
    [
      at('openai-compatible', 'https://api.groq.com/openai/v1'),
      'openai/gpt-oss-20b',
      ['groq/openai/gpt-oss-20b'],
    ],
    [at('openai-compatible', 'https://api.mistral.ai/v1'), 'mistral-small', ['mistral/mistral-small-latest']],
  ])('of %j for %s is %j', (provider, upstream, keys) => {
    expect(matchModel(LITELLM, provider, upstream)).toEqual(keys);
  });
});

it('a model of models.dev is that of the same provider', () => {
  const models = { 'claude-opus-5@default': {}, 'claude-haiku-4-5@20251001': {} };
  const source = sourceOf({
    'google-vertex': { id: 'google-vertex', models },
    'google-vertex-anthropic': { id: 'google-vertex-anthropic', models },
    'amazon-bedrock': { id: 'amazon-bedrock', models: { 'us.anthropic.claude-opus-5': {} } },
    anthropic: { id: 'anthropic', models: { 'claude-opus-5': {} } },
  });
  const keys = (kind: string, upstream: string) => matchModel(source, at(kind), upstream);
  expect(keys('vertex', 'claude-opus-5')).toEqual([
    'google-vertex/claude-opus-5@default',
    'google-vertex-anthropic/claude-opus-5@default',
  ]);
  expect(keys('anthropic', 'claude-opus-5')).toEqual(['anthropic/claude-opus-5']);
  expect(keys('bedrock', 'us.anthropic.claude-opus-5')).toEqual([
    'amazon-bedrock/us.anthropic.claude-opus-5',
  ]);
  expect(keys('bedrock', 'global.anthropic.claude-opus-5')).toEqual([]);
});

it('a model of OpenRouter is that of its author, or any at OpenRouter itself', () => {
  const ids = ['anthropic/claude-opus-4.5', 'openai/gpt-5.5', 'openai/gpt-5.5:free', 'openai/gpt-oss-20b'];
  const source = sourceOf({ data: ids.map((id) => ({ id, pricing: { prompt: '1' } })) });
  expect(matchModel(source, at('anthropic'), 'claude-opus-4-5')).toEqual(['anthropic/claude-opus-4.5']);
  expect(matchModel(source, openai, 'gpt-5.5')).toEqual(['openai/gpt-5.5']);
  const router = at('openai-compatible', 'https://openrouter.ai/api/v1');
  expect(matchModel(source, router, 'openai/gpt-5.5:free')).toEqual(['openai/gpt-5.5:free']);
  // Groq and Bedrock have prices of their own.
  expect(
    matchModel(source, at('openai-compatible', 'https://api.groq.com/openai/v1'), 'openai/gpt-oss-20b'),
  ).toEqual([]);
  expect(matchModel(source, at('bedrock'), 'openai.gpt-oss-20b')).toEqual([]);
});
