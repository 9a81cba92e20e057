import type { CatalogDocumentInput } from '@model-gateway/shared';
import { MODEL } from '../wire/answer-plan.ts';

export const PROVIDER_CREDENTIAL = 'BENCH_PROVIDER_KEY';

/** The names of so many paid models; all targets know the first one. */
export function modelNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? MODEL : `${MODEL}-${index}`));
}

export function benchCatalog(providerUrl: string, models: number): CatalogDocumentInput {
  return {
    providers: [
      {
        id: 'fixed',
        name: 'Fixed answers',
        kind: 'openai-compatible',
        base_url: `${providerUrl}/v1`,
        credential_env: PROVIDER_CREDENTIAL,
      },
    ],
    models: modelNames(models).map((id) => ({
      id,
      name: id,
      capability: 'chat',
      tier: 'paid',
      context_length: 200_000,
      pricing: { input_per_million_usd: '0.10', output_per_million_usd: '0.40' },
      upstreams: [{ provider: 'fixed', model: MODEL }],
    })),
  };
}
