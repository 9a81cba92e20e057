import {
  type CatalogModel,
  type CatalogProvider,
  flatPricing,
  type ModelTimeouts,
} from '@model-gateway/shared';
import { omitAbsent } from '../omit-absent.ts';
import type { StoredCatalog, StoredPriceList, StoredVirtualModel } from './read-catalog-store.ts';

/** No clock of a data plane is behind by more. */
const MAX_CLOCK_SKEW_MS = 86_400_000;

export function catalogMessage(
  { guardrails = [], revision, priceLists, providers, models, virtualModels }: StoredCatalog,
  nowMs = Date.now(),
) {
  return {
    revision: String(revision),
    providers: providers.map((provider) => ({
      id: provider.id,
      name: provider.name,
      kind: provider.kind,
      baseUrl: provider.base_url,
      ...credentialsMessage(provider),
      headers: provider.headers,
      timeouts: timeoutsMessage(provider.timeouts_ms),
      apis: provider.apis ?? [],
      ...omitAbsent({
        region: provider.region,
        traits: provider.traits && JSON.stringify(provider.traits),
      }),
    })),
    models: models.map((model) => ({
      id: model.id,
      name: model.name,
      description: model.description,
      capability: model.capability,
      tier: model.tier,
      ...omitAbsent({
        contextLength: model.context_length,
        maxOutputTokens: model.max_output_tokens,
        tokensPerMediaPart: model.tokens_per_media_part,
        tokensPerFilePart: model.tokens_per_file_part,
        timeouts: model.timeouts_ms && timeoutsMessage(model.timeouts_ms),
        affinity: model.affinity,
        pricesFrom: model.prices_from && JSON.stringify(model.prices_from),
        priceVersion: model.tier === 'free' ? undefined : model.priceVersion,
      }),
      inputModalities: model.input_modalities,
      outputModalities: model.output_modalities,
      upstreams: model.upstreams.map(upstreamMessage),
      pricing: flatPricing(model.pricing),
      aliases: model.aliases,
      fallbacks: model.fallbacks,
      guardrails: model.guardrails ?? [],
      ...lifecycleMessage(model),
    })),
    virtualModels: virtualModels.map((model) => ({
      id: model.id,
      name: model.name,
      description: model.description,
      models: model.models,
      aliases: model.aliases,
      fallbacks: model.fallbacks,
      ...omitAbsent({ affinity: model.affinity }),
      ...lifecycleMessage(model),
    })),
    guardrails: guardrails.map((guardrail) => ({ id: guardrail.id, definition: JSON.stringify(guardrail) })),
    priceLists: priceLists.map(({ id, isDefault, versions }) => ({
      id,
      isDefault,
      versions: versionsInUse(versions, nowMs).map(({ number, terms, validFrom }) => ({
        number,
        validFromMs: String(validFrom.getTime()),
        terms: JSON.stringify(terms),
      })),
    })),
  };
}

/** Returns the version that was in force a day ago, and all that become valid later. */
function versionsInUse(versions: StoredPriceList['versions'], nowMs: number): StoredPriceList['versions'] {
  const inOrder = versions.toSorted(
    (one, other) => one.validFrom.getTime() - other.validFrom.getTime() || one.number - other.number,
  );
  const last = inOrder.findLastIndex(({ validFrom }) => validFrom.getTime() <= nowMs - MAX_CLOCK_SKEW_MS);
  return inOrder.slice(Math.max(last, 0));
}

function upstreamMessage({ apis = [], prefer, ...upstream }: CatalogModel['upstreams'][number]) {
  return { ...upstream, apis, ...omitAbsent({ prefer }) };
}

function credentialsMessage({ credential_env: names = [], credential_weights }: CatalogProvider) {
  const [first, ...further] = names;
  if (first === undefined) return {};
  if (further.length === 0) return { credentialEnv: first };
  return {
    credentialEnv: first,
    credentialEnvs: names,
    ...omitAbsent({ credentialWeights: credential_weights }),
  };
}

export type CatalogToSend = ReturnType<typeof catalogMessage>;

function timeoutsMessage(timeouts: ModelTimeouts) {
  return omitAbsent({
    connectMs: timeouts.connect,
    firstByteMs: timeouts.first_byte,
    firstBytePlainMs: timeouts.first_byte_plain,
    idleMs: timeouts.idle,
    totalMs: timeouts.total,
  });
}

function lifecycleMessage({
  createdAt,
  deprecated_at,
}: Pick<StoredVirtualModel, 'createdAt' | 'deprecated_at'>) {
  return {
    createdAt: unixSeconds(createdAt),
    ...(deprecated_at === undefined ? {} : { deprecatedAt: unixSeconds(new Date(deprecated_at)) }),
  };
}

function unixSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1_000);
}
