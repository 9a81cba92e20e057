import type { Prisma } from '@model-gateway/database';
import {
  type CatalogGuardrail,
  type CatalogModel,
  type CatalogProvider,
  type CatalogVirtualModel,
  capability,
  guardrailEntry,
  knownApis,
  modelTimeouts,
  pricesFrom,
  pricing,
  providerKind,
  providerTimeouts,
  providerTraits,
  tier,
} from '@model-gateway/shared';
import { z } from 'zod';
import { omitAbsent } from '../omit-absent.ts';
import { dropDanglingNames } from './drop-dangling-names.ts';

export interface StoredModel extends CatalogModel {
  /** The version of the pricing in force; undefined when the model never had one. */
  priceVersion: number | undefined;
  createdAt: Date;
}

export interface StoredVirtualModel extends CatalogVirtualModel {
  createdAt: Date;
}

export interface StoredPriceList {
  id: string;
  isDefault: boolean;
  versions: { number: number; validFrom: Date; terms: Prisma.JsonValue }[];
}

export interface StoredCatalog {
  revision: bigint;
  /** Sorted by id, without retired ones. */
  providers: CatalogProvider[];
  models: StoredModel[];
  virtualModels: StoredVirtualModel[];
  priceLists: StoredPriceList[];
  /** Undefined: there are none. */
  guardrails?: CatalogGuardrail[];
  /** Credentials that operators stored, encrypted; one for each pepper while a pepper is replaced. */
  credentials: { name: string; sealed: Uint8Array }[];
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

export async function readCatalog(transaction: Prisma.TransactionClient): Promise<StoredCatalog> {
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
  const guardrails = await transaction.guardrail.findMany({ orderBy: { id: 'asc' } });
  return {
    revision,
    ...(guardrails.length > 0 && {
      guardrails: guardrails.map(({ definition }) => guardrailEntry.parse(definition)),
    }),
    providers: providers.map((row) => ({
      id: row.id,
      name: row.name,
      kind: providerKind.parse(row.kind),
      base_url: row.baseUrl,
      headers: headers.parse(row.headers),
      timeouts_ms: storedProviderTimeouts.parse(row.timeoutsMs),
      ...omitAbsent({
        credential_env: unlessEmpty(row.credentialEnvs),
        credential_weights: unlessEmpty(row.credentialWeights),
        apis: unlessEmpty(knownApis(row.apis)),
        region: row.region,
        // Leaves out traits that only a newer release knows.
        traits: providerTraits.safeParse(row.traits).data,
      }),
    })),
    ...dropDanglingNames(models.flatMap(storedModel), virtualModels.map(storedVirtualModel)),
    priceLists: await transaction.priceList.findMany({
      select: {
        id: true,
        isDefault: true,
        versions: { select: { number: true, validFrom: true, terms: true } },
      },
      orderBy: { id: 'asc' },
    }),
    credentials: await transaction.providerCredential.findMany({
      select: { name: true, sealed: true },
      orderBy: [{ name: 'asc' }, { pepperFingerprint: 'asc' }],
    }),
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
      ...omitAbsent({
        context_length: row.contextLength,
        max_output_tokens: row.maxOutputTokens,
        tokens_per_media_part: row.tokensPerMediaPart,
        tokens_per_file_part: row.tokensPerFilePart,
        timeouts_ms: row.timeoutsMs === null ? null : storedModelTimeouts.parse(row.timeoutsMs),
        affinity: affinityOf(row),
        // Leaves out what only a newer release knows.
        prices_from: pricesFrom.safeParse(row.pricesFrom).data,
        deprecated_at: row.deprecatedAt?.toISOString(),
        guardrails: unlessEmpty(row.guardrails),
      }),
      input_modalities: row.inputModalities,
      output_modalities: row.outputModalities,
      aliases: row.aliases,
      fallbacks: row.fallbacks,
      upstreams: row.upstreams.map(({ apis, prefer, providerId, upstreamModel, priority, weight }) => ({
        provider: providerId,
        model: upstreamModel,
        priority,
        weight,
        // Leaves out APIs that only a newer release knows.
        ...omitAbsent({
          apis: unlessEmpty(knownApis(apis)),
          prefer: prefer === null ? null : knownApis([prefer])[0],
        }),
      })),
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
    ...omitAbsent({ affinity: affinityOf(row), deprecated_at: row.deprecatedAt?.toISOString() }),
    createdAt: row.createdAt,
  };
}

function affinityOf({ affinity }: { affinity: string | null }): 'none' | undefined {
  return affinity === 'none' ? affinity : undefined;
}

function unlessEmpty<Item>(items: Item[]): Item[] | undefined {
  return items.length === 0 ? undefined : items;
}
