import type { CatalogProvider } from '@model-gateway/shared';
import { z } from 'zod';
import { credentialResourceSchema, refusalOf, refusalSchema } from '../credentials/credential-resource.ts';
import { timestamp } from '../timestamps.ts';
import { healthResource, healthSchema } from './health-resource.ts';
import { upstreamsOf, upstreamTrafficSchema } from './model-resource.ts';
import type { ProvidersState } from './read-providers.ts';

const breaker = z.object({
  data_plane: z.string(),
  model: z.string().nullable().describe('Upstream model. Null: the breaker of the provider.'),
  shuts_out: z.enum(['everyone', 'failing_payers']).describe('`failing_payers`: whose own requests failed.'),
  since: timestamp,
});

export const providerResourceSchema = z.object({
  object: z.literal('provider'),
  id: z.string(),
  name: z.string(),
  kind: z.string(),
  base_url: z.string(),
  region: z.string().nullable(),
  models: z.int().describe('Models with an upstream here.'),
  health: healthSchema,
  breakers: z.array(breaker).describe('Open circuit breakers, as data planes reported them last.'),
  credentials: z.array(credentialResourceSchema),
  identity_refusal: refusalSchema
    .nullable()
    .describe('Refusals of the identity of data planes, for providers without a credential of their own.'),
});

export const providerDetailsSchema = providerResourceSchema.extend({
  models: z.array(upstreamTrafficSchema.extend({ id: z.string(), name: z.string(), capability: z.string() })),
});

/** Describes a provider of the catalog as it is now. */
export function providerResource(
  { base_url, id, kind, name, region }: CatalogProvider,
  state: ProvidersState,
): z.infer<typeof providerResourceSchema> {
  const { catalog, credentials, healthOfProvider, reports } = state;
  const health = healthOfProvider.get(id);
  if (health === undefined) throw new Error(`the health of ${id} was not read`);
  return {
    object: 'provider',
    ...{ id, name, kind, base_url },
    region: region ?? null,
    models: catalog.models.filter((model) => model.upstreams.some(({ provider }) => provider === id)).length,
    health: healthResource(health),
    breakers: reports.breakers
      .filter(({ providerId }) => providerId === id)
      .map(({ instanceId, model, shutsEveryoneOut, since }) => ({
        data_plane: instanceId,
        model: model === '' ? null : model,
        shuts_out: shutsEveryoneOut ? 'everyone' : 'failing_payers',
        since,
      })),
    credentials: credentials.filter(({ providers }) => providers.includes(id)),
    identity_refusal:
      refusalOf(reports.refused.filter(({ providerId, variable }) => providerId === id && variable === '')) ??
      null,
  };
}

/** Describes a provider with its models and their traffic there. */
export function providerDetails(
  provider: CatalogProvider,
  state: ProvidersState,
): z.infer<typeof providerDetailsSchema> {
  return {
    ...providerResource(provider, state),
    models: state.catalog.models.flatMap((model) =>
      upstreamsOf(model, state.traffic)
        .filter((upstream) => upstream.provider === provider.id)
        .map((upstream) => ({
          ...upstream,
          id: model.id,
          name: model.name,
          capability: model.capability,
        })),
    ),
  };
}
