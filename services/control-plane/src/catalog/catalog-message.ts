import type { StoredCatalog } from './catalog-store.ts';

/** The catalog as gRPC carries it (proto/gateway/v1/catalog.proto). */
export function catalogMessage({ revision, providers, models }: StoredCatalog) {
  return {
    revision: String(revision),
    providers: providers.map((provider) => ({
      id: provider.id,
      name: provider.name,
      kind: provider.kind,
      baseUrl: provider.base_url,
      ...(provider.credential_env === undefined ? {} : { credentialEnv: provider.credential_env }),
      headers: provider.headers,
      timeouts: {
        connectMs: provider.timeouts_ms.connect,
        firstByteMs: provider.timeouts_ms.first_byte,
        idleMs: provider.timeouts_ms.idle,
        totalMs: provider.timeouts_ms.total,
      },
    })),
    models: models.map((model) => ({
      id: model.id,
      name: model.name,
      description: model.description,
      capability: model.capability,
      tier: model.tier,
      ...(model.context_length === undefined ? {} : { contextLength: model.context_length }),
      ...(model.max_output_tokens === undefined ? {} : { maxOutputTokens: model.max_output_tokens }),
      ...(model.tokens_per_media_part === undefined
        ? {}
        : { tokensPerMediaPart: model.tokens_per_media_part }),
      inputModalities: model.input_modalities,
      outputModalities: model.output_modalities,
      upstreams: model.upstreams,
      pricing: definedPrices(model.pricing),
      ...(model.tier === 'free' || model.priceVersion === undefined
        ? {}
        : { priceVersion: model.priceVersion }),
      createdAt: unixSeconds(model.createdAt),
      ...(model.deprecated_at === undefined
        ? {}
        : { deprecatedAt: unixSeconds(new Date(model.deprecated_at)) }),
    })),
  };
}

export type CatalogToSend = ReturnType<typeof catalogMessage>;

function definedPrices(pricing: Record<string, string | undefined>): Record<string, string> {
  const prices: Record<string, string> = {};
  for (const [name, price] of Object.entries(pricing)) if (price !== undefined) prices[name] = price;
  return prices;
}

function unixSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1_000);
}
