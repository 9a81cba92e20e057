import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gatewayctl, startGatewayctl } from './gatewayctl-fixture.ts';

const CATALOG = `
providers:
  - id: acme
    name: Acme AI
    kind: openai-compatible
    base_url: https://api.acme.example/v1
    credential_env: ACME_API_KEY
  - { id: open, name: Open, kind: openai-compatible, base_url: "https://open.example/v1" }
models:
  - id: acme/small
    name: Small
    capability: chat
    tier: paid
    context_length: 128000
    upstreams: [{ provider: acme, model: small }, { provider: open, model: small }]
    pricing: { input_per_million_usd: "0.10", output_per_million_usd: "0.60" }
  - id: acme/large
    name: Large
    capability: chat
    tier: paid
    upstreams: [{ provider: acme, model: large }]
    pricing: { input_per_million_usd: "2", output_per_million_usd: "8" }
  - id: open/embed
    name: Embed
    capability: embeddings
    tier: free
    deprecated_at: 2030-01-01T00:00:00Z
    upstreams: [{ provider: open, model: embed }]
  - id: acme/auto
    name: Auto
    kind: virtual
    models: [{ model: acme/small, weight: 9 }, { model: acme/large, weight: 1 }]
`;

let gatewayctl: Gatewayctl;

beforeAll(async () => {
  gatewayctl = await startGatewayctl();
  await gatewayctl.json('catalog', 'apply', '-f', gatewayctl.file('catalog.yaml', CATALOG));
});
afterAll(() => gatewayctl[Symbol.asyncDispose]());

describe('gatewayctl models list', () => {
  it('lists every model that callers can name, with its price and its providers', async () => {
    const { out } = await gatewayctl.run(['models', 'list']);
    expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['MODEL', 'CAPABILITY', 'CONTEXT', 'PRICE IN USD', 'PROVIDERS'],
      ['acme/auto', 'chat', '-', 'as the model used', 'one of acme/small, acme/large'],
      ['acme/large', 'chat', '-', '2 in, 8 out per million tokens', 'acme'],
      ['acme/small', 'chat', '128000', '0.10 in, 0.60 out per million tokens', 'acme, open'],
      ['open/embed', 'embeddings', '-', 'free', 'open'],
      [''],
    ]);
  });

  it('lists only the models of one provider, and all facts with --json', async () => {
    expect(await gatewayctl.json('models', 'list', '--provider', 'open')).toMatchObject([
      { id: 'acme/auto', models: ['acme/small', 'acme/large'], providers: ['acme', 'open'] },
      { id: 'acme/small', tier: 'paid', pricing: { input_per_million_usd: '0.10' }, deprecated_at: null },
      { id: 'open/embed', pricing: {}, models: [], deprecated_at: '2030-01-01T00:00:00.000Z' },
    ]);
    expect(await gatewayctl.json('models', 'list', '--provider', 'none')).toEqual([]);
  });
});

describe('gatewayctl providers list', () => {
  it('lists every provider with its credential and the number of its models', async () => {
    const { out } = await gatewayctl.run(['providers', 'list']);
    expect(out).toMatch(
      /^acme +Acme AI +openai-compatible +2 +ACME_API_KEY +https:\/\/api\.acme\.example\/v1$/m,
    );
    expect(out).toMatch(/^open +Open +openai-compatible +2 +none +https:\/\/open\.example\/v1$/m);
    expect(await gatewayctl.json('providers', 'list')).toMatchObject([
      { id: 'acme', credential_envs: ['ACME_API_KEY'], models: 2, region: null },
      { id: 'open', credential_envs: [] },
    ]);
  });
});
