import { randomBytes } from 'node:crypto';
import type { CatalogDocumentInput } from '@model-gateway/shared';
import type { TestGateway } from '@model-gateway/test-kit';
import { bothApis, CHAT, CLAUDE } from '../endpoints/both-apis.ts';

/** A model whose provider speaks Responses itself. */
export const PASSED = 'sim/passed-free';
/** The models for which Responses are translated. */
export const TRANSLATED = [CHAT, CLAUDE] as const;

/** The settings with which responses are kept. */
export const STATE = {
  RESPONSES_STATE_TTL_S: '3600',
  RESPONSES_STATE_KEY: randomBytes(32).toString('hex'),
} as const;

/** Models of all three kinds of providers. */
export function allApis(baseUrl: string): CatalogDocumentInput {
  const { models, providers } = bothApis(baseUrl);
  return {
    providers: [
      ...providers,
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
      ...models,
      ...(['free', 'pro'] as const).map((variant) => ({
        id: `sim/passed-${variant}`,
        name: `Passed ${variant}`,
        capability: 'chat' as const,
        tier: variant === 'free' ? ('free' as const) : ('paid' as const),
        upstreams: [{ provider: 'sim-responses', model: `sim-chat-${variant}` }],
        pricing: variant === 'free' ? {} : { input_per_million_usd: '3.00', output_per_million_usd: '15.00' },
      })),
    ],
  };
}

/** How many responses were kept or read again, with that outcome. */
export async function counted({ dataPlanes }: TestGateway, operation: 'keep' | 'read', outcome: string) {
  const text = await (await fetch(`http://127.0.0.1:${dataPlanes[0]?.internalPort}/metrics`)).text();
  const line = `gateway_kept_responses_total{operation="${operation}",outcome="${outcome}"} `;
  return Number(
    text
      .split('\n')
      .find((each) => each.startsWith(line))
      ?.slice(line.length) ?? 0,
  );
}
