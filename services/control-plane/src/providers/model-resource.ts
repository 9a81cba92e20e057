import { flatPricing } from '@model-gateway/shared';
import { z } from 'zod';
import { type PriceVersion, versionActor } from '../catalog/catalog-version-store.ts';
import type { StoredModel, StoredVirtualModel } from '../catalog/read-catalog-store.ts';
import type { ModelTraffic } from '../status/health-reader.ts';
import { timestamp } from '../timestamps.ts';
import { healthResource, healthSchema } from './health-resource.ts';
import type { CatalogHealth } from './read-providers.ts';

const count = z.int().min(0);
const prices = z
  .record(z.string(), z.string())
  .describe('Dollars by the name in the catalog file, those of tiers as `tiers.BOUND.NAME`. Empty: free.');

export const upstreamTrafficSchema = z.object({
  provider: z.string(),
  model: z.string().describe('Name of the model at the provider.'),
  priority: count,
  weight: count,
  apis: z.array(z.string()).describe('Empty: those of the provider.'),
  attempts_24h: count.describe('Attempts of this model at this provider, with all its upstreams there.'),
  failed_24h: count,
});

export const modelResourceSchema = z.object({
  object: z.literal('model'),
  id: z.string(),
  name: z.string(),
  kind: z.enum(['served', 'virtual']),
  capability: z.string().nullable().describe('Null: that of the models of a virtual model.'),
  tier: z.string().nullable(),
  providers: z.array(z.string()),
  pricing: prices,
  price_version: z.int().nullable().describe('Null: it never had a price.'),
  deprecated_at: timestamp.nullable(),
  health: healthSchema,
});

export const modelDetailsSchema = modelResourceSchema.extend({
  description: z.string(),
  created_at: timestamp,
  context_length: z.int().nullable(),
  max_output_tokens: z.int().nullable(),
  input_modalities: z.array(z.string()),
  output_modalities: z.array(z.string()),
  aliases: z.array(z.string()),
  fallbacks: z.array(z.string()),
  upstreams: z.array(upstreamTrafficSchema).describe('Empty for a virtual model.'),
  models: z.array(z.object({ model: z.string(), weight: count })).describe('Of a virtual model.'),
  price_versions: z
    .array(
      z.object({
        version: z.int(),
        pricing: prices,
        applied_at: timestamp,
        catalog_revision: z.int().nullable().describe('Null: that catalog is not kept any more.'),
        applied_by: versionActor.nullable(),
      }),
    )
    .describe('The newest 100, newest first.'),
});

type AnyModel = StoredModel | StoredVirtualModel;

/** Describes a model of the catalog as it is now. */
export function modelResource(model: AnyModel, state: CatalogHealth): z.infer<typeof modelResourceSchema> {
  const health = state.healthOfModel.get(model.id);
  if (health === undefined) throw new Error(`the health of ${model.id} was not read`);
  const served = isVirtual(model) ? undefined : model;
  return {
    object: 'model',
    id: model.id,
    name: model.name,
    kind: served === undefined ? 'virtual' : 'served',
    capability: served?.capability ?? null,
    tier: served?.tier ?? null,
    providers: [...new Set(served?.upstreams.map(({ provider }) => provider))],
    pricing: served === undefined ? {} : flatPricing(served.pricing),
    price_version: served?.priceVersion ?? null,
    deprecated_at: model.deprecated_at ?? null,
    health: healthResource(health),
  };
}

/** Describes a model with its upstreams and the history of its prices. */
export function modelDetails(
  model: AnyModel,
  state: CatalogHealth,
  versions: readonly PriceVersion[],
): z.infer<typeof modelDetailsSchema> {
  const served = isVirtual(model) ? undefined : model;
  return {
    ...modelResource(model, state),
    description: model.description,
    created_at: model.createdAt.toISOString(),
    context_length: served?.context_length ?? null,
    max_output_tokens: served?.max_output_tokens ?? null,
    input_modalities: served?.input_modalities ?? [],
    output_modalities: served?.output_modalities ?? [],
    aliases: model.aliases,
    fallbacks: model.fallbacks,
    upstreams: served === undefined ? [] : upstreamsOf(served, state.traffic),
    models: isVirtual(model) ? model.models : [],
    price_versions: versions.map(({ actor, appliedAt, pricing, revision, version }) => ({
      version,
      pricing: flatPricing(pricing),
      applied_at: appliedAt.toISOString(),
      catalog_revision: revision === null ? null : Number(revision),
      applied_by: actor,
    })),
  };
}

/** Returns the upstreams of a model with their traffic of the last day. */
export function upstreamsOf(
  { id, upstreams }: StoredModel,
  traffic: readonly ModelTraffic[],
): z.infer<typeof upstreamTrafficSchema>[] {
  return upstreams.map(({ apis = [], model, priority, provider, weight }) => {
    const counts = traffic.find(({ modelId, providerId }) => modelId === id && providerId === provider);
    return {
      ...{ provider, model, priority, weight, apis },
      attempts_24h: counts?.attempts ?? 0,
      failed_24h: counts?.failedAttempts ?? 0,
    };
  });
}

function isVirtual(model: AnyModel): model is StoredVirtualModel {
  return 'kind' in model && model.kind === 'virtual';
}
