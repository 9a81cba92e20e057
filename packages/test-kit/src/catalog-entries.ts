import type { PlainCatalogInput } from '@model-gateway/shared';

type ProviderInput = PlainCatalogInput['providers'][number];
type ModelInput = PlainCatalogInput['models'][number];

/** Returns a provider entry that names no credential. */
export function withoutCredential({ credential_env: _, ...entry }: ProviderInput): ProviderInput {
  return entry;
}

/** Returns a provider with OpenAI's API and the credential of the test gateway, unless `more` differs. */
export function providerEntry(
  id: string,
  base_url: string,
  more: Partial<ProviderInput> = {},
): ProviderInput {
  const common = { id, name: id, kind: 'openai-compatible', credential_env: 'SIMULATED_API_KEY' } as const;
  return { ...common, base_url, ...more };
}

/**
 * Returns a free chat model, unless `more` says otherwise.
 * @param upstreams each provider's name of the model, the preferred provider first
 */
export function modelEntry(
  id: string,
  upstreams: Readonly<Record<string, string>>,
  more: Partial<Omit<ModelInput, 'id'>> = {},
): ModelInput {
  const entries = Object.entries(upstreams);
  return {
    id,
    name: id,
    capability: 'chat',
    tier: 'free',
    upstreams: entries.map(([provider, model], index) =>
      entries.length === 1 ? { provider, model } : { provider, model, priority: index + 1 },
    ),
    ...more,
  };
}
