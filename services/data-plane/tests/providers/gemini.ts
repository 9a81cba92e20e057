import type { PlainCatalogInput } from '@model-gateway/shared';
import { modelEntry, providerEntry } from '@model-gateway/test-kit';

/** Names of the models of the simulated Gemini in `geminiDocument`. */
export const GEMINI = { chat: 'google/gemini', draws: 'google/draws', embeds: 'google/embed' };

export function geminiDocument(baseUrl: string): PlainCatalogInput {
  const model = (id: string, upstream: string, pricing: object) =>
    modelEntry(id, { google: upstream }, { tier: 'paid', max_output_tokens: 8_000, pricing });
  const drawing = { input_per_million_usd: '0.3', output_per_million_usd: '2.5' };
  return {
    providers: [providerEntry('google', new URL('v1beta', baseUrl).href, { kind: 'gemini' })],
    models: [
      model(GEMINI.chat, 'sim-gemini-pro', { input_per_million_usd: '2', output_per_million_usd: '12' }),
      model(GEMINI.draws, 'sim-gemini-image', { ...drawing, image_output_per_million_usd: '30' }),
      modelEntry(
        GEMINI.embeds,
        { google: 'sim-gemini-embed' },
        { capability: 'embeddings', tier: 'paid', pricing: { input_per_million_usd: '0.15' } },
      ),
    ],
  };
}
