import type {
  CatalogMessage,
  ModelMessage,
  ModelTimeoutsMessage,
  ProviderMessage,
  VirtualModelMessage,
} from '@model-gateway/contracts';
import { filePricing, guardrailEntry, pricesFrom } from '@model-gateway/shared';

/** Returns the catalog as a file for `catalog apply`. Applying this file again changes nothing. */
export function catalogFile(catalog: CatalogMessage) {
  return {
    providers: catalog.providers.map(providerEntry),
    models: [...catalog.models.map(modelEntry), ...catalog.virtualModels.map(virtualModelEntry)],
    ...(catalog.guardrails.length === 0
      ? {}
      : {
          guardrails: catalog.guardrails.map(({ definition }) =>
            guardrailEntry.parse(JSON.parse(definition)),
          ),
        }),
  };
}

function providerEntry(provider: ProviderMessage) {
  const { timeouts } = provider;
  return {
    id: provider.id,
    name: provider.name,
    kind: provider.kind,
    base_url: provider.baseUrl,
    ...credentialsEntry(provider),
    ...(Object.keys(provider.headers).length === 0 ? {} : { headers: provider.headers }),
    ...(provider.apis.length === 0 ? {} : { apis: provider.apis }),
    ...(provider.region === undefined ? {} : { region: provider.region }),
    ...(provider.traits === undefined ? {} : { traits: JSON.parse(provider.traits) }),
    ...(timeouts === null ? {} : { timeouts_ms: timeoutsEntry(timeouts) }),
  };
}

function credentialsEntry({ credentialEnv, credentialEnvs, credentialWeights }: ProviderMessage) {
  if (credentialEnv === undefined) return {};
  if (credentialEnvs.length === 0) return { credential_env: credentialEnv };
  if (credentialWeights.length === 0) return { credential_env: credentialEnvs };
  return {
    credential_env: credentialEnvs.map((name, index) => ({ name, weight: credentialWeights[index] ?? 1 })),
  };
}

function modelEntry(model: ModelMessage) {
  return {
    ...namedEntry(model),
    capability: model.capability,
    tier: model.tier,
    ...(model.contextLength === undefined ? {} : { context_length: model.contextLength }),
    ...(model.maxOutputTokens === undefined ? {} : { max_output_tokens: model.maxOutputTokens }),
    ...(model.tokensPerMediaPart === undefined ? {} : { tokens_per_media_part: model.tokensPerMediaPart }),
    ...(model.tokensPerFilePart === undefined ? {} : { tokens_per_file_part: model.tokensPerFilePart }),
    input_modalities: model.inputModalities,
    output_modalities: model.outputModalities,
    upstreams: model.upstreams.map(({ apis, prefer, provider, model: upstreamModel, priority, weight }) => ({
      provider,
      model: upstreamModel,
      priority,
      weight,
      ...(apis.length === 0 ? {} : { apis }),
      ...(prefer === undefined ? {} : { prefer }),
    })),
    ...(model.guardrails.length === 0 ? {} : { guardrails: model.guardrails }),
    ...(model.timeouts === null ? {} : { timeouts_ms: timeoutsEntry(model.timeouts) }),
    ...(Object.keys(model.pricing).length === 0 ? {} : { pricing: filePricing(model.pricing) }),
    ...(model.pricesFrom === undefined
      ? {}
      : { prices_from: pricesFrom.parse(JSON.parse(model.pricesFrom)) }),
  };
}

function virtualModelEntry(model: VirtualModelMessage) {
  return { ...namedEntry(model), kind: 'virtual', models: model.models };
}

function namedEntry(model: ModelMessage | VirtualModelMessage) {
  return {
    id: model.id,
    name: model.name,
    ...(model.description === '' ? {} : { description: model.description }),
    ...(model.aliases.length === 0 ? {} : { aliases: model.aliases }),
    ...(model.fallbacks.length === 0 ? {} : { fallbacks: model.fallbacks }),
    ...(model.affinity === undefined ? {} : { affinity: model.affinity }),
    ...(model.deprecatedAt === undefined ? {} : { deprecated_at: isoSeconds(model.deprecatedAt) }),
  };
}

/** @param timeouts the timeouts of a provider, or those that are different for a model */
function timeoutsEntry({ connectMs, firstByteMs, firstBytePlainMs, idleMs, totalMs }: ModelTimeoutsMessage) {
  return {
    ...(connectMs === undefined ? {} : { connect: connectMs }),
    ...(firstByteMs === undefined ? {} : { first_byte: firstByteMs }),
    ...(firstBytePlainMs === undefined ? {} : { first_byte_plain: firstBytePlainMs }),
    ...(idleMs === undefined ? {} : { idle: idleMs }),
    ...(totalMs === undefined ? {} : { total: totalMs }),
  };
}

/** Converts Unix seconds as decimal text to ISO 8601 in UTC. */
function isoSeconds(unixSeconds: string): string {
  return new Date(Number(unixSeconds) * 1000).toISOString();
}
