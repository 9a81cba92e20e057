import type { Prisma } from '@model-gateway/database';
import {
  type CatalogModel,
  type CatalogProvider,
  type CatalogVirtualModel,
  capability,
  knownApis,
  modelTimeouts,
  type Pricing,
  pricing,
  providerKind,
  providerTimeouts,
  tier,
} from '@model-gateway/shared';
import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';
import { withoutDangling } from './without-dangling.ts';

export interface StoredModel extends CatalogModel {
  /** The version of the pricing in force; undefined when the model never had one. */
  priceVersion: number | undefined;
  createdAt: Date;
}

export interface StoredVirtualModel extends CatalogVirtualModel {
  createdAt: Date;
}

export interface StoredCatalog {
  revision: bigint;
  /** Sorted by id, without retired ones. */
  providers: CatalogProvider[];
  models: StoredModel[];
  virtualModels: StoredVirtualModel[];
}

/** Rows to write; everything else stays. */
export interface CatalogWrites {
  providers: { write: CatalogProvider[]; retire: string[] };
  models: { write: CatalogModel[]; retire: string[] };
  virtualModels: { write: CatalogVirtualModel[]; retire: string[] };
  /** Models whose prices changed: each gets a new price version. */
  prices: { modelId: string; pricing: Pricing }[];
}

const headers = z.record(z.string(), z.string());
// A newer release may have stored timeouts, APIs, provider kinds and capabilities unknown here: ignore them.
// Leave out a model with an unknown price, which would be charged too little.
const KNOWN_PROVIDER = { kind: { in: [...providerKind.options] } };
const storedProviderTimeouts = z.object(providerTimeouts.shape);
const weightedModels = z.array(z.object({ model: z.string(), weight: z.int() }));
const storedModelTimeouts = z.object(modelTimeouts.shape);

type ModelRow = Prisma.ModelGetPayload<{ include: { upstreams: true; prices: true } }>;
type VirtualModelRow = Prisma.VirtualModelGetPayload<object>;

/** Writing the largest catalog takes seconds, and another change may have to wait for it. */
const CHANGE_LIMITS = { timeout: 60_000, maxWait: 10_000 };

export class CatalogStore extends PrismaStore {
  async read(): Promise<StoredCatalog> {
    return await this.prisma.$transaction((transaction) => readIn(transaction), {
      isolationLevel: 'RepeatableRead',
    });
  }

  /**
   * Changes the catalog under a lock.
   * @param decide undefined: write nothing
   * @returns the revision afterwards
   */
  async change(decide: (current: StoredCatalog) => CatalogWrites | undefined): Promise<bigint> {
    return await this.prisma.$transaction(async (transaction) => {
      await transaction.$queryRaw`SELECT value FROM revisions WHERE name = 'catalog' FOR UPDATE`;
      const current = await readIn(transaction);
      const writes = decide(current);
      if (writes === undefined) return current.revision;
      await write(transaction, writes);
      const { value } = await transaction.revision.update({
        where: { name: 'catalog' },
        data: { value: { increment: 1 } },
      });
      await transaction.$queryRaw`SELECT pg_notify('gateway_catalog', '')::text`;
      return value;
    }, CHANGE_LIMITS);
  }

  /** Cheap enough to call every second. */
  async pulse(): Promise<{ revision: bigint; liveDataPlanes: number }> {
    const rows = z.array(z.object({ revision: z.bigint(), live: z.bigint() })).parse(
      await this.prisma.$queryRaw`
        SELECT value AS revision, (SELECT count(*) FROM key_watchers WHERE lease_until > now()) AS live
        FROM revisions WHERE name = 'catalog'`,
    );
    const [row] = rows;
    if (row === undefined) throw new Error('the row of the catalog revision is missing');
    return { revision: row.revision, liveDataPlanes: Number(row.live) };
  }
}

async function readIn(transaction: Prisma.TransactionClient): Promise<StoredCatalog> {
  const { value: revision } = await transaction.revision.findUniqueOrThrow({ where: { name: 'catalog' } });
  const providers = await transaction.provider.findMany({
    where: { retiredAt: null, ...KNOWN_PROVIDER },
    orderBy: { id: 'asc' },
  });
  const upstreams = { provider: KNOWN_PROVIDER };
  const models = await transaction.model.findMany({
    where: { retiredAt: null, capability: { in: [...capability.options] }, upstreams: { some: upstreams } },
    orderBy: { id: 'asc' },
    include: {
      upstreams: { where: upstreams, orderBy: { position: 'asc' } },
      prices: { orderBy: { version: 'desc' }, take: 1 },
    },
  });
  const virtualModels = await transaction.virtualModel.findMany({
    where: { retiredAt: null },
    orderBy: { id: 'asc' },
  });
  return {
    revision,
    providers: providers.map((row) => ({
      id: row.id,
      name: row.name,
      kind: providerKind.parse(row.kind),
      base_url: row.baseUrl,
      ...(row.credentialEnvs.length > 0 ? { credential_env: row.credentialEnvs } : {}),
      headers: headers.parse(row.headers),
      timeouts_ms: storedProviderTimeouts.parse(row.timeoutsMs),
      ...storedApis(row.apis),
      ...(row.region === null ? {} : { region: row.region }),
    })),
    ...withoutDangling(models.flatMap(storedModel), virtualModels.map(storedVirtualModel)),
  };
}

function storedModel(row: ModelRow): StoredModel[] {
  const prices = pricing.safeParse(row.prices[0]?.pricing ?? {}).data;
  if (prices === undefined) return [];
  return [
    {
      id: row.id,
      name: row.name,
      description: row.description,
      capability: capability.parse(row.capability),
      tier: tier.parse(row.tier),
      ...(row.contextLength === null ? {} : { context_length: row.contextLength }),
      ...(row.maxOutputTokens === null ? {} : { max_output_tokens: row.maxOutputTokens }),
      ...(row.tokensPerMediaPart === null ? {} : { tokens_per_media_part: row.tokensPerMediaPart }),
      input_modalities: row.inputModalities,
      output_modalities: row.outputModalities,
      aliases: row.aliases,
      fallbacks: row.fallbacks,
      ...storedEnd(row),
      upstreams: row.upstreams.map(({ providerId, upstreamModel, priority, weight }) => ({
        provider: providerId,
        model: upstreamModel,
        priority,
        weight,
      })),
      ...(row.timeoutsMs === null ? {} : { timeouts_ms: storedModelTimeouts.parse(row.timeoutsMs) }),
      pricing: prices,
      priceVersion: row.prices[0]?.version,
      createdAt: row.createdAt,
    },
  ];
}

function storedVirtualModel(row: VirtualModelRow): StoredVirtualModel {
  return {
    kind: 'virtual',
    id: row.id,
    name: row.name,
    description: row.description,
    models: weightedModels.parse(row.models),
    aliases: row.aliases,
    fallbacks: row.fallbacks,
    ...storedEnd(row),
    createdAt: row.createdAt,
  };
}

async function write(transaction: Prisma.TransactionClient, writes: CatalogWrites): Promise<void> {
  for (const provider of writes.providers.write) {
    const columns = providerColumns(provider);
    await transaction.provider.upsert({
      where: { id: provider.id },
      create: { id: provider.id, ...columns },
      update: { ...columns, retiredAt: null },
    });
  }
  await writeModels(transaction, writes.models.write);
  await writePrices(transaction, writes.prices);
  for (const { id, ...model } of writes.virtualModels.write) {
    const columns = virtualModelColumns(model);
    await transaction.virtualModel.upsert({
      where: { id },
      create: { id, ...columns },
      update: { ...columns, retiredAt: null },
    });
  }
  const retiredAt = new Date();
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
      tokens_per_media_part, input_modalities, output_modalities, timeouts_ms, aliases, fallbacks, deprecated_at)
    SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS model (
      id text, name text, description text, capability text, tier text, "contextLength" int,
      "maxOutputTokens" int, "tokensPerMediaPart" int, "inputModalities" text[], "outputModalities" text[],
      "timeoutsMs" jsonb, aliases text[], fallbacks text[], "deprecatedAt" timestamptz)
    ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, description = EXCLUDED.description,
      capability = EXCLUDED.capability, tier = EXCLUDED.tier, context_length = EXCLUDED.context_length,
      max_output_tokens = EXCLUDED.max_output_tokens,
      tokens_per_media_part = EXCLUDED.tokens_per_media_part, input_modalities = EXCLUDED.input_modalities,
      output_modalities = EXCLUDED.output_modalities, timeouts_ms = EXCLUDED.timeouts_ms,
      aliases = EXCLUDED.aliases, fallbacks = EXCLUDED.fallbacks,
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
      })),
    ),
  });
}

async function writePrices(
  transaction: Prisma.TransactionClient,
  prices: CatalogWrites['prices'],
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
      version: Math.max(newest.get(price.modelId) ?? 0, priceFloor) + 1,
    })),
  });
}

function storedApis(stored: readonly string[]): Pick<CatalogProvider, 'apis'> {
  const apis = knownApis(stored);
  return apis.length > 0 ? { apis } : {};
}

function providerColumns(provider: CatalogProvider) {
  const { credential_env: variables = [] } = provider;
  return {
    name: provider.name,
    kind: provider.kind,
    baseUrl: provider.base_url,
    credentialEnvs: variables,
    headers: provider.headers,
    timeoutsMs: provider.timeouts_ms,
    apis: provider.apis ?? [],
    region: provider.region ?? null,
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
    inputModalities: model.input_modalities,
    outputModalities: model.output_modalities,
    timeoutsMs: model.timeouts_ms,
    aliases: model.aliases,
    fallbacks: model.fallbacks,
    ...endColumn(model),
  };
}

function virtualModelColumns(model: Omit<CatalogVirtualModel, 'id'>) {
  return {
    name: model.name,
    description: model.description,
    models: model.models,
    aliases: model.aliases,
    fallbacks: model.fallbacks,
    ...endColumn(model),
  };
}

function storedEnd({ deprecatedAt }: { deprecatedAt: Date | null }): { deprecated_at?: string } {
  return deprecatedAt === null ? {} : { deprecated_at: deprecatedAt.toISOString() };
}

function endColumn({ deprecated_at }: { deprecated_at?: string | undefined }) {
  return { deprecatedAt: deprecated_at === undefined ? null : new Date(deprecated_at) };
}
