import { isListed, listProviderModels } from '@model-gateway/cli/provider-models';
import type { Environment } from '@model-gateway/service-kit';
import type { CatalogDocument } from '@model-gateway/shared';
import type { BundledCatalog } from './bundled-catalogs.ts';

/** The longest wait of a start for a provider. */
const DEADLINE_MS = 3_000;
const MAX_NAMED = 5;

/** A bundled catalog without models that the user's keys cannot use, and notes on those. */
export interface OfferedCatalog {
  bundle: BundledCatalog;
  notes: string[];
}

/**
 * Removes models that a provider does not list for the user's key. Keeps all models of a provider that sends
 * no list in time, or lists none of them.
 */
export async function offerUsableModels(
  { name, document }: BundledCatalog,
  environment: Environment,
  deadlineMs = DEADLINE_MS,
): Promise<OfferedCatalog> {
  const lists = await Promise.all(
    document.providers.map(async (provider) => ({
      provider,
      listed: await listProviderModels(listedProvider(provider), environment, deadlineMs),
    })),
  );
  const notes: string[] = [];
  let offered = document.models;
  for (const { listed, provider } of lists) {
    const upstreamOf = ({ upstreams }: CatalogDocument['models'][number]) =>
      upstreams.find((upstream) => upstream.provider === provider.id)?.model;
    const own = document.models.flatMap((model) => upstreamOf(model) ?? []);
    if (typeof listed === 'string' || !own.some((model) => isListed(model, listed))) {
      const problem = typeof listed === 'string' ? listed : 'the provider lists none of them';
      notes.push(`${provider.name}: all bundled models are offered, because ${problem}.`);
      continue;
    }
    const isUsable = (upstream: string | undefined) => upstream === undefined || isListed(upstream, listed);
    offered = offered.filter((model) => isUsable(upstreamOf(model)));
    notes.push(...notesOn(provider.name, own, listed));
  }
  return { bundle: { name, document: { ...document, models: offered } }, notes };
}

function listedProvider({ base_url, credential_env, headers, kind }: CatalogDocument['providers'][number]) {
  return { baseUrl: base_url, credentials: credential_env ?? [], headers, kind };
}

function notesOn(name: string, own: readonly string[], listed: readonly string[]): string[] {
  const unusable = own.filter((model) => !isListed(model, listed));
  const unpriced = listed.filter((model) => !isListed(model, own)).toSorted();
  return [
    ...(unusable.length === 0
      ? []
      : [`${name}: your key cannot use these bundled models, so they are not offered: ${named(unusable)}.`]),
    ...(unpriced.length === 0
      ? []
      : [`${name}: your key can also use models without a known price, not offered: ${named(unpriced)}.`]),
  ];
}

function named(models: readonly string[]): string {
  const hidden = models.length - MAX_NAMED;
  const shown = models.slice(0, MAX_NAMED).join(', ');
  return hidden > 0 ? `${shown} and ${hidden} more (gatewayctl catalog check lists them)` : shown;
}
