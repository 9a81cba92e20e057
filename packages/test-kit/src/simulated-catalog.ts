import type { PlainCatalogInput } from '@model-gateway/shared';

/**
 * Returns a catalog with one free and one paid simulated model per capability. start-gateway.ts sets
 * SIMULATED_API_KEY, which its `credential_env` names.
 */
export function simulatedCatalog(baseUrl: string): PlainCatalogInput {
  const capabilities = [
    [
      'chat',
      'chat',
      { input_per_million_usd: '1.00', cached_input_per_million_usd: '0.50', output_per_million_usd: '2.00' },
    ],
    ['complete', 'completions', { input_per_million_usd: '1.50', output_per_million_usd: '2.00' }],
    ['embed', 'embeddings', { input_per_million_usd: '0.10' }],
    ['rerank', 'rerank', { search_unit_usd: '0.002' }],
    ['image', 'images', { image_usd: '0.04' }],
    ['speech', 'speech', { characters_per_million_usd: '15' }],
    ['transcribe', 'transcription', { audio_second_usd: '0.0001' }],
    ['moderate', 'moderation', { input_per_million_usd: '0.10' }],
  ] as const;
  return {
    providers: [
      {
        id: 'sim',
        name: 'Simulated',
        kind: 'openai-compatible',
        base_url: baseUrl,
        credential_env: 'SIMULATED_API_KEY',
      },
    ],
    models: capabilities.flatMap(([name, capability, pricing]) =>
      (['free', 'pro'] as const).map((variant) => ({
        id: `sim/${name}-${variant}`,
        name: `${name} ${variant}`,
        capability,
        tier: variant === 'free' ? ('free' as const) : ('paid' as const),
        upstreams: [{ provider: 'sim', model: `sim-${name}-${variant}` }],
        pricing: variant === 'free' ? {} : pricing,
      })),
    ),
  };
}
