import { type CatalogModel, flatPricing, type ModelTimeouts } from '@model-gateway/shared';
import type { StoredCatalog, StoredVirtualModel } from './read-catalog-store.ts';

export function catalogMessage({ revision, providers, models, virtualModels }: StoredCatalog) {
  return {
    revision: String(revision),
    providers: providers.map((provider) => ({
      id: provider.id,
      name: provider.name,
      kind: provider.kind,
      baseUrl: provider.base_url,
      ...credentialsMessage(provider.credential_env),
      headers: provider.headers,
      timeouts: timeoutsMessage(provider.timeouts_ms),
      apis: provider.apis ?? [],
      ...(provider.region === undefined ? {} : { region: provider.region }),
      ...(provider.traits === undefined ? {} : { traits: JSON.stringify(provider.traits) }),
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
      upstreams: model.upstreams.map(upstreamMessage),
      ...(model.timeouts_ms === undefined ? {} : { timeouts: timeoutsMessage(model.timeouts_ms) }),
      pricing: flatPricing(model.pricing),
      ...(model.tier === 'free' || model.priceVersion === undefined
        ? {}
        : { priceVersion: model.priceVersion }),
      aliases: model.aliases,
      fallbacks: model.fallbacks,
      ...lifeMessage(model),
    })),
    virtualModels: virtualModels.map((model) => ({
      id: model.id,
      name: model.name,
      description: model.description,
      models: model.models,
      aliases: model.aliases,
      fallbacks: model.fallbacks,
      ...lifeMessage(model),
    })),
  };
}

function upstreamMessage({ apis = [], prefer, ...upstream }: CatalogModel['upstreams'][number]) {
  return { ...upstream, apis, ...(prefer === undefined ? {} : { prefer }) };
}

function credentialsMessage([first, ...further]: readonly string[] = []) {
  if (first === undefined) return {};
  return { credentialEnv: first, ...(further.length === 0 ? {} : { credentialEnvs: [first, ...further] }) };
}

export type CatalogToSend = ReturnType<typeof catalogMessage>;

function timeoutsMessage(timeouts: ModelTimeouts) {
  const { connect, first_byte, first_byte_plain, idle, total } = timeouts;
  return {
    ...(connect === undefined ? {} : { connectMs: connect }),
    ...(first_byte === undefined ? {} : { firstByteMs: first_byte }),
    ...(first_byte_plain === undefined ? {} : { firstBytePlainMs: first_byte_plain }),
    ...(idle === undefined ? {} : { idleMs: idle }),
    ...(total === undefined ? {} : { totalMs: total }),
  };
}

function lifeMessage({ createdAt, deprecated_at }: Pick<StoredVirtualModel, 'createdAt' | 'deprecated_at'>) {
  return {
    createdAt: unixSeconds(createdAt),
    ...(deprecated_at === undefined ? {} : { deprecatedAt: unixSeconds(new Date(deprecated_at)) }),
  };
}

function unixSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1_000);
}
