import type { PlainCatalogInput } from '@model-gateway/shared';
import { simulatedCatalog } from '@model-gateway/test-kit';

/** A model of each kind of provider. Callers ask for both in both APIs. */
export const CLAUDE = 'sim/claude-free';
export const CHAT = 'sim/chat-free';

/** The simulated models, and those of the simulated Anthropic beside them. */
export function bothApis(baseUrl: string): PlainCatalogInput {
  const document = simulatedCatalog(baseUrl);
  return {
    providers: [
      ...document.providers,
      {
        id: 'sim-anthropic',
        name: 'Simulated Anthropic',
        kind: 'anthropic',
        base_url: baseUrl,
        credential_env: 'SIMULATED_API_KEY',
      },
    ],
    models: [
      ...document.models,
      ...(['free', 'pro'] as const).map((variant) => ({
        id: `sim/claude-${variant}`,
        name: `Claude ${variant}`,
        capability: 'chat' as const,
        tier: variant === 'free' ? ('free' as const) : ('paid' as const),
        max_output_tokens: 64_000,
        upstreams: [{ provider: 'sim-anthropic', model: `sim-claude-${variant}` }],
        pricing: variant === 'free' ? {} : { input_per_million_usd: '3.00', output_per_million_usd: '15.00' },
      })),
    ],
  };
}
