import { Prisma } from '@model-gateway/database';
import type {
  CatalogGuardrail,
  CatalogModel,
  CatalogProvider,
  CatalogVirtualModel,
  Pricing,
} from '@model-gateway/shared';

/** Rows to write; everything else stays. */
export interface CatalogWrites {
  providers: { write: CatalogProvider[]; retire: string[] };
  models: { write: CatalogModel[]; retire: string[] };
  virtualModels: { write: CatalogVirtualModel[]; retire: string[] };
  guardrails: { write: CatalogGuardrail[]; remove: string[] };
  /** Models whose prices changed: each gets a new price version. */
  prices: { modelId: string; pricing: Pricing }[];
}

export async function writeCatalog(
  transaction: Prisma.TransactionClient,
  writes: CatalogWrites,
  at: Date,
): Promise<void> {
  for (const provider of writes.providers.write) {
    const columns = providerColumns(provider);
    await transaction.provider.upsert({
      where: { id: provider.id },
      create: { id: provider.id, ...columns },
      update: { ...columns, retiredAt: null },
    });
  }
  await writeModels(transaction, writes.models.write);
  await writePrices(transaction, writes.prices, at);
  for (const { id, ...model } of writes.virtualModels.write) {
    const columns = virtualModelColumns(model);
    await transaction.virtualModel.upsert({
      where: { id },
      create: { id, ...columns },
      update: { ...columns, retiredAt: null },
    });
  }
  for (const definition of writes.guardrails.write) {
    const { id } = definition;
    await transaction.guardrail.upsert({ where: { id }, create: { id, definition }, update: { definition } });
  }
  await transaction.guardrail.deleteMany({ where: { id: { in: writes.guardrails.remove } } });
  const retiredAt = at;
  await transaction.model.updateMany({ where: { id: { in: writes.models.retire } }, data: { retiredAt } });
  await transaction.virtualModel.updateMany({
    where: { id: { in: writes.virtualModels.retire } },
    data: { retiredAt },
  });
  await transaction.provider.updateMany({
    where: { id: { in: writes.providers.retire } },
    data: { retiredAt },
  });
}

async function writeModels(transaction: Prisma.TransactionClient, models: CatalogModel[]): Promise<void> {
  const ids = models.map(({ id }) => id);
  const rows = models.map((model) => ({ id: model.id, ...modelColumns(model) }));
  // One statement: one per model would take thousands of round trips.
  await transaction.$executeRaw`
    INSERT INTO models (id, name, description, capability, tier, context_length, max_output_tokens,
      tokens_per_media_part, tokens_per_file_part, input_modalities, output_modalities, timeouts_ms, aliases,
      fallbacks, affinity, prices_from, guardrails, deprecated_at)
    SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS model (
      id text, name text, description text, capability text, tier text, "contextLength" int,
      "maxOutputTokens" int, "tokensPerMediaPart" int, "tokensPerFilePart" int, "inputModalities" text[],
      "outputModalities" text[],
      "timeoutsMs" jsonb, aliases text[], fallbacks text[], affinity text,
      "pricesFrom" jsonb, guardrails text[], "deprecatedAt" timestamptz)
    ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, description = EXCLUDED.description,
      capability = EXCLUDED.capability, tier = EXCLUDED.tier, context_length = EXCLUDED.context_length,
      max_output_tokens = EXCLUDED.max_output_tokens,
      tokens_per_media_part = EXCLUDED.tokens_per_media_part,
      tokens_per_file_part = EXCLUDED.tokens_per_file_part, input_modalities = EXCLUDED.input_modalities,
      output_modalities = EXCLUDED.output_modalities, timeouts_ms = EXCLUDED.timeouts_ms,
      aliases = EXCLUDED.aliases, fallbacks = EXCLUDED.fallbacks, affinity = EXCLUDED.affinity,
      prices_from = EXCLUDED.prices_from, guardrails = EXCLUDED.guardrails,
      deprecated_at = EXCLUDED.deprecated_at, retired_at = NULL`;
  await transaction.modelUpstream.deleteMany({ where: { modelId: { in: ids } } });
  await transaction.modelUpstream.createMany({
    data: models.flatMap(({ id: modelId, upstreams }) =>
      upstreams.map((upstream, position) => ({
        modelId,
        position,
        providerId: upstream.provider,
        upstreamModel: upstream.model,
        priority: upstream.priority,
        weight: upstream.weight,
        apis: upstream.apis ?? [],
        prefer: upstream.prefer ?? null,
      })),
    ),
  });
}

async function writePrices(
  transaction: Prisma.TransactionClient,
  prices: CatalogWrites['prices'],
  createdAt: Date,
): Promise<void> {
  const versions = await transaction.modelPrice.groupBy({
    by: ['modelId'],
    where: { modelId: { in: prices.map(({ modelId }) => modelId) } },
    _max: { version: true },
  });
  // Never reuses a version from before a restore (prisma/functions/renew_epoch.sql).
  const { priceFloor } = await transaction.installation.findUniqueOrThrow({ where: { id: 1 } });
  const newest = new Map(versions.map(({ modelId, _max }) => [modelId, _max.version ?? 0]));
  await transaction.modelPrice.createMany({
    data: prices.map((price) => ({
      ...price,
      createdAt,
      version: Math.max(newest.get(price.modelId) ?? 0, priceFloor) + 1,
    })),
  });
}

function providerColumns(provider: CatalogProvider) {
  return {
    name: provider.name,
    kind: provider.kind,
    baseUrl: provider.base_url,
    credentialEnvs: provider.credential_env ?? [],
    credentialWeights: provider.credential_weights ?? [],
    headers: provider.headers,
    timeoutsMs: provider.timeouts_ms,
    apis: provider.apis ?? [],
    region: provider.region ?? null,
    traits: provider.traits ?? Prisma.DbNull,
  };
}

function modelColumns(model: CatalogModel) {
  return {
    name: model.name,
    description: model.description,
    capability: model.capability,
    tier: model.tier,
    contextLength: model.context_length ?? null,
    maxOutputTokens: model.max_output_tokens ?? null,
    tokensPerMediaPart: model.tokens_per_media_part ?? null,
    tokensPerFilePart: model.tokens_per_file_part ?? null,
    inputModalities: model.input_modalities,
    outputModalities: model.output_modalities,
    timeoutsMs: model.timeouts_ms,
    aliases: model.aliases,
    fallbacks: model.fallbacks,
    affinity: model.affinity ?? null,
    pricesFrom: model.prices_from,
    guardrails: model.guardrails ?? [],
    ...deprecationColumn(model),
  };
}

function virtualModelColumns({ deprecated_at, kind: _kind, ...columns }: Omit<CatalogVirtualModel, 'id'>) {
  return { ...columns, affinity: columns.affinity ?? null, ...deprecationColumn({ deprecated_at }) };
}

function deprecationColumn({ deprecated_at }: { deprecated_at?: string | undefined }) {
  return { deprecatedAt: deprecated_at === undefined ? null : new Date(deprecated_at) };
}
