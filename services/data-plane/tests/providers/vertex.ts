import type { CatalogDocumentInput } from '@model-gateway/shared';

/** Names no project: the gateway has to find it in the credentials. */
const VERTEX_PLACE = '/v1/projects/-/locations/europe-west1';

const CHATS = {
  'vertex/gemini': 'sim-gemini-pro',
  'vertex/claude': 'publishers/anthropic/models/sim-claude-pro',
};
const EMBEDDINGS = {
  'vertex/embed': 'sim-text-embedding',
  'vertex/embed-2': 'gemini-embedding-2-sim',
};

/**
 * @param origin of the simulated Vertex AI
 * @param place the path of its base URL
 */
export function vertexDocument(
  origin: string,
  { credential_env, place = VERTEX_PLACE }: { credential_env?: string | string[]; place?: string } = {},
): CatalogDocumentInput {
  const upstreams = (model: string) => [{ provider: 'vertex', model }];
  return {
    providers: [
      {
        id: 'vertex',
        name: 'Vertex AI',
        kind: 'vertex',
        base_url: new URL(place, origin).href,
        ...(credential_env === undefined ? {} : { credential_env }),
      },
    ],
    models: [
      ...Object.entries(CHATS).map(([id, model]) => ({
        id,
        name: id,
        capability: 'chat' as const,
        tier: 'paid' as const,
        max_output_tokens: 8_000,
        pricing: {
          input_per_million_usd: '3',
          cached_input_per_million_usd: '0.3',
          cache_write_per_million_usd: '3.75',
          cache_write_1h_per_million_usd: '6',
          output_per_million_usd: '15',
        },
        upstreams: upstreams(model),
      })),
      ...Object.entries(EMBEDDINGS).map(([id, model]) => ({
        id,
        name: id,
        capability: 'embeddings' as const,
        tier: 'paid' as const,
        pricing: { input_per_million_usd: '0.15' },
        upstreams: upstreams(model),
      })),
    ],
  };
}
