import type { PlainCatalogInput } from '@model-gateway/shared';

/** Names of the models of the simulated Gemini in `geminiDocument`. */
export const GEMINI = { chat: 'google/gemini', draws: 'google/draws', embeds: 'google/embed' };

export function geminiDocument(baseUrl: string): PlainCatalogInput {
  const model = (id: string, upstream: string) => ({
    id,
    name: id,
    tier: 'paid' as const,
    upstreams: [{ provider: 'google', model: upstream }],
  });
  const chat = { capability: 'chat' as const, max_output_tokens: 8_000 };
  return {
    providers: [
      {
        id: 'google',
        name: 'Google',
        kind: 'gemini',
        base_url: new URL('v1beta', baseUrl).href,
        credential_env: 'SIMULATED_API_KEY',
      },
    ],
    models: [
      {
        ...model(GEMINI.chat, 'sim-gemini-pro'),
        ...chat,
        pricing: { input_per_million_usd: '2', output_per_million_usd: '12' },
      },
      {
        ...model(GEMINI.draws, 'sim-gemini-image'),
        ...chat,
        pricing: {
          input_per_million_usd: '0.3',
          output_per_million_usd: '2.5',
          image_output_per_million_usd: '30',
        },
      },
      {
        ...model(GEMINI.embeds, 'sim-gemini-embed'),
        capability: 'embeddings',
        pricing: { input_per_million_usd: '0.15' },
      },
    ],
  };
}
