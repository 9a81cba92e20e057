import type { CatalogMessage } from '@model-gateway/contracts';
import { catalogDocument } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { catalogFile } from './catalog-file.ts';
import { parseCatalogFile } from './parse-catalog-file.ts';

const catalog: CatalogMessage = {
  revision: '3',
  providers: [
    {
      id: 'acme',
      name: 'Acme AI',
      kind: 'openai-compatible',
      baseUrl: 'https://api.acme.example/v1',
      credentialEnv: 'ACME_API_KEY',
      credentialEnvs: ['ACME_API_KEY', 'ACME_API_KEY_2'],
      credentialWeights: [3, 1],
      headers: { 'x-extra': '1' },
      timeouts: { connectMs: 1, firstByteMs: 2, idleMs: 3, totalMs: 4, firstBytePlainMs: 5 },
      apis: ['chat', 'responses'],
      traits: '{"preset":"vllm","stop_max":4}',
    },
    {
      id: 'bedrock',
      name: 'Bedrock',
      kind: 'bedrock',
      baseUrl: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
      region: 'eu-central-1',
      credentialEnv: 'AWS_BEARER_TOKEN_BEDROCK',
      credentialEnvs: [],
      credentialWeights: [],
      headers: {},
      timeouts: null,
      apis: [],
    },
  ],
  models: [
    {
      id: 'acme/small',
      name: 'Small',
      description: 'One line: with a colon\nand another',
      capability: 'chat',
      tier: 'paid',
      contextLength: 128_000,
      maxOutputTokens: 4_096,
      tokensPerMediaPart: 2_500,
      tokensPerFilePart: 100_000,
      guardrails: [],
      inputModalities: ['text', 'image'],
      outputModalities: ['text'],
      upstreams: [{ provider: 'acme', model: 'small-1', priority: 2, weight: 3, apis: [] }],
      aliases: ['gpt-4o', 'vendor/Small@2026'],
      fallbacks: ['acme/large'],
      timeouts: { totalMs: 900_000, firstBytePlainMs: 7 },
      pricing: {
        input_per_million_usd: '0.10',
        output_per_million_usd: '1',
        'tiers.64000.input_per_million_usd': '0.20',
      },
      pricesFrom: '[{"source":"a contract","date":"2026-11-27"}]',
      createdAt: '1700000000',
      deprecatedAt: '1800000000',
    },
    {
      id: 'acme/embed',
      name: 'Embed',
      description: '',
      capability: 'embeddings',
      tier: 'free',
      guardrails: [],
      inputModalities: ['text'],
      outputModalities: ['embedding'],
      upstreams: [{ provider: 'acme', model: 'embed', priority: 1, weight: 1, apis: [] }],
      aliases: [],
      fallbacks: [],
      timeouts: null,
      pricing: {},
      createdAt: '1700000000',
    },
    {
      id: 'acme/large',
      name: 'Large',
      description: '',
      capability: 'chat',
      tier: 'paid',
      guardrails: [],
      inputModalities: ['text'],
      outputModalities: ['text'],
      upstreams: [{ provider: 'acme', model: 'large', priority: 1, weight: 1, apis: [] }],
      aliases: [],
      fallbacks: [],
      timeouts: null,
      pricing: { input_per_million_usd: '1', output_per_million_usd: '2' },
      createdAt: '1700000000',
    },
  ],
  priceLists: [],
  guardrails: [],
  virtualModels: [
    {
      id: 'acme/mixed',
      name: 'Mixed',
      description: 'A canary',
      models: [
        { model: 'acme/small', weight: 95 },
        { model: 'acme/large', weight: 5 },
      ],
      aliases: ['mixed'],
      fallbacks: [],
      affinity: 'none',
      createdAt: '1700000000',
      deprecatedAt: '1800000000',
    },
  ],
};

describe('the catalog as a file', () => {
  it('says everything that the catalog holds, in the words of the catalog file', () => {
    const parsed = catalogDocument.parse(catalogFile(catalog));
    expect(parsed.providers[0]).toEqual({
      id: 'acme',
      name: 'Acme AI',
      kind: 'openai-compatible',
      base_url: 'https://api.acme.example/v1',
      credential_env: ['ACME_API_KEY', 'ACME_API_KEY_2'],
      credential_weights: [3, 1],
      headers: { 'x-extra': '1' },
      timeouts_ms: { connect: 1, first_byte: 2, idle: 3, total: 4, first_byte_plain: 5 },
      apis: ['chat', 'responses'],
      traits: { preset: 'vllm', stop_max: 4 },
    });
    expect(parsed.providers[1]).toMatchObject({
      kind: 'bedrock',
      base_url: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
      region: 'eu-central-1',
      credential_env: ['AWS_BEARER_TOKEN_BEDROCK'],
    });
    expect(catalogFile(catalog).providers[1]?.credential_env).toBe('AWS_BEARER_TOKEN_BEDROCK');
    expect(parsed.models[0]).toEqual({
      id: 'acme/small',
      name: 'Small',
      description: 'One line: with a colon\nand another',
      capability: 'chat',
      tier: 'paid',
      context_length: 128_000,
      max_output_tokens: 4_096,
      tokens_per_media_part: 2_500,
      tokens_per_file_part: 100_000,
      input_modalities: ['text', 'image'],
      output_modalities: ['text'],
      deprecated_at: '2027-01-15T08:00:00.000Z',
      aliases: ['gpt-4o', 'vendor/Small@2026'],
      fallbacks: ['acme/large'],
      upstreams: [{ provider: 'acme', model: 'small-1', priority: 2, weight: 3 }],
      timeouts_ms: { total: 900_000, first_byte_plain: 7 },
      pricing: {
        input_per_million_usd: '0.10',
        output_per_million_usd: '1',
        tiers: [{ above_input_tokens: 64_000, input_per_million_usd: '0.20' }],
      },
      prices_from: [{ source: 'a contract', date: '2026-11-27' }],
    });
    expect(parsed.models[1]).toMatchObject({ description: '', pricing: {} });
    expect(parsed.models[1]).not.toHaveProperty('timeouts_ms');
    expect(parsed.virtualModels).toEqual([
      {
        id: 'acme/mixed',
        name: 'Mixed',
        description: 'A canary',
        kind: 'virtual',
        models: [
          { model: 'acme/small', weight: 95 },
          { model: 'acme/large', weight: 5 },
        ],
        aliases: ['mixed'],
        fallbacks: [],
        affinity: 'none',
        deprecated_at: '2027-01-15T08:00:00.000Z',
      },
    ]);
  });

  it('a catalog written as YAML and read back is unchanged', () => {
    const file = catalogFile(catalog);
    expect(parseCatalogFile(stringify(file), 'f').content).toEqual(file);
  });
});
