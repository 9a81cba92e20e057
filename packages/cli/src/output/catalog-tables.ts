import type { CatalogMessage } from '@model-gateway/contracts';
import { filePricing } from '@model-gateway/shared';
import { formatTable } from './format-table.ts';
import { timestampOrNull } from './timestamp.ts';

const MS = 1_000;
const TOKEN_PRICES = ['input_per_million_usd', 'output_per_million_usd'];

/** A model that is not virtual chooses among none. */
const noModels: readonly string[] = [];

type ModelRow = ReturnType<typeof modelRows>[number];
type ProviderRow = ReturnType<typeof providerRows>[number];

/**
 * Returns what callers can name: the models and the virtual models, by id.
 * @param provider only its models
 */
export function modelRows({ models, virtualModels }: CatalogMessage, provider: string | undefined) {
  const own = models.map((model) => ({
    id: model.id,
    name: model.name,
    capability: model.capability,
    tier: model.tier,
    context_length: model.contextLength ?? null,
    max_output_tokens: model.maxOutputTokens ?? null,
    pricing: filePricing(model.pricing),
    providers: [...new Set(model.upstreams.map((upstream) => upstream.provider))],
    models: noModels,
    aliases: model.aliases,
    deprecated_at: endOf(model),
  }));
  const byId = new Map(own.map((row) => [row.id, row]));
  const virtual = virtualModels.flatMap((model) => {
    const parts = model.models.map((part) => part.model);
    const first = byId.get(parts[0] ?? '');
    if (first === undefined) return [];
    const { id, name, aliases } = model;
    const providers = [...new Set(parts.flatMap((part) => byId.get(part)?.providers ?? []))];
    const pricing: Record<string, unknown> = {};
    const unlike = { context_length: null, max_output_tokens: null, pricing };
    return [
      { ...first, ...unlike, id, name, aliases, providers, models: parts, deprecated_at: endOf(model) },
    ];
  });
  return [...own, ...virtual]
    .filter(({ providers }) => provider === undefined || providers.includes(provider))
    .sort((left, right) => (left.id < right.id ? -1 : 1));
}

export function modelTable(rows: readonly ModelRow[]): string {
  return formatTable(
    ['MODEL', 'CAPABILITY', 'CONTEXT', 'PRICE IN USD', 'PROVIDERS'],
    rows.map((row) => [
      row.id,
      row.capability,
      row.context_length === null ? '-' : String(row.context_length),
      priceText(row),
      row.models.length === 0 ? row.providers.join(', ') : `one of ${row.models.join(', ')}`,
    ]),
  );
}

/** Tokens first, as `2.50 in, 10.00 out per million tokens`; other prices by their names. */
function priceText({ tier, models, pricing }: ModelRow): string {
  if (tier === 'free') return 'free';
  if (models.length > 0) return 'as the model used';
  const prices = Object.entries(pricing).filter(([, usd]) => typeof usd === 'string');
  const [input, output] = TOKEN_PRICES.map((name) => pricing[name]);
  const tokens = [...(input ? [`${input} in`] : []), ...(output ? [`${output} out`] : [])].join(', ');
  if (tokens !== '') return `${tokens} per million tokens${pricing.tiers === undefined ? '' : ' and more'}`;
  return prices.map(([name, usd]) => `${usd} ${name.replace(/_usd$/, '').replaceAll('_', ' ')}`).join(', ');
}

function endOf({ deprecatedAt }: { deprecatedAt?: string | undefined }): string | null {
  return timestampOrNull(deprecatedAt === undefined ? undefined : String(Number(deprecatedAt) * MS));
}

/** Returns the providers in the order of the catalog. */
export function providerRows({ models, providers }: CatalogMessage) {
  return providers.map((provider) => ({
    id: provider.id,
    name: provider.name,
    kind: provider.kind,
    base_url: provider.baseUrl,
    region: provider.region ?? null,
    credential_envs:
      provider.credentialEnvs.length > 0
        ? provider.credentialEnvs
        : provider.credentialEnv === undefined
          ? []
          : [provider.credentialEnv],
    models: models.filter(({ upstreams }) => upstreams.some((upstream) => upstream.provider === provider.id))
      .length,
  }));
}

export function providerTable(rows: readonly ProviderRow[]): string {
  return formatTable(
    ['PROVIDER', 'NAME', 'KIND', 'MODELS', 'CREDENTIAL', 'BASE URL'],
    rows.map((row) => [
      row.id,
      row.name,
      row.kind,
      String(row.models),
      row.credential_envs.join(', ') || 'none',
      row.base_url,
    ]),
  );
}
