import type { CatalogDocumentInput } from '@model-gateway/shared';
import { bothApis, CHAT, CLAUDE } from './both-apis.ts';

/** A model whose provider speaks Responses. */
export const RESPONSES = 'sim/responses-free';

/** A model of each kind of provider, for tests that ask all of them for the same. */
export const EVERY_KIND = [
  ['a provider of the same API', RESPONSES],
  ['a provider of Chat Completions alone', CHAT],
  ['a provider of Messages', CLAUDE],
] as const;
/** Those of whose answers the gateway itself writes every event. */
export const TRANSLATED = EVERY_KIND.filter(([, model]) => model !== RESPONSES);

/**
 * The simulated models of `bothApis`, and those of a provider that speaks Responses beside Chat Completions.
 */
export function allApis(baseUrl: string): CatalogDocumentInput {
  const document = bothApis(baseUrl);
  return {
    providers: [
      ...document.providers,
      {
        id: 'sim-responses',
        name: 'Simulated Responses',
        kind: 'openai-compatible',
        apis: ['chat', 'responses'],
        base_url: baseUrl,
        credential_env: 'SIMULATED_API_KEY',
      },
    ],
    models: [
      ...document.models,
      ...(['free', 'pro'] as const).map((variant) => ({
        id: `sim/responses-${variant}`,
        name: `Responses ${variant}`,
        capability: 'chat' as const,
        tier: variant === 'free' ? ('free' as const) : ('paid' as const),
        upstreams: [{ provider: 'sim-responses', model: `sim-chat-${variant}` }],
        pricing: variant === 'free' ? {} : { input_per_million_usd: '3.00', output_per_million_usd: '15.00' },
      })),
    ],
  };
}
