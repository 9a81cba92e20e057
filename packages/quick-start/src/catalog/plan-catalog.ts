import type { CatalogDocument, CatalogModel, CatalogVirtualModel } from '@model-gateway/shared';
import { z } from 'zod';
import { type BundledCatalog, SIMULATED } from './bundled-catalogs.ts';

/** The record of earlier starts' changes to the catalog, so that no start undoes the user's changes. */
export const catalogState = z.object({
  /** `user`: the catalog comes from a file of the user, or was already in the database. */
  source: z.enum(['bundled', 'user']),
  /** Bundled catalogs that were once added. The user may have removed them, so they are not added again. */
  bundles: z.array(z.string()),
  simulated_base_url: z.string(),
});
export type CatalogState = z.infer<typeof catalogState>;

export interface CatalogSituation {
  current: CatalogDocument;
  /** Undefined for a new data directory. */
  state: CatalogState | undefined;
  bundles: readonly BundledCatalog[];
  /** The file of `--catalog`. */
  file: CatalogDocument | undefined;
  /** Where the simulated provider listens this time. */
  simulatedBaseUrl: string;
}

export interface CatalogPlan {
  /** The document to apply; undefined when the catalog stays as it is. */
  document: CatalogDocument | undefined;
  state: CatalogState;
}

/**
 * Decides which catalog to apply. A file that the user names replaces everything. A new data directory gets
 * the bundled catalogs. Later starts only add bundled catalogs whose key variable is set now, and follow the
 * simulated provider to its port.
 */
export function planCatalog({
  current,
  state,
  bundles,
  file,
  simulatedBaseUrl,
}: CatalogSituation): CatalogPlan {
  const bundledUrl = bundles.find(({ name }) => name === SIMULATED)?.document.providers[0]?.base_url;
  const names = bundles.map(({ name }) => name);
  const plan = (
    source: CatalogState['source'],
    added: readonly string[],
    document: CatalogDocument | undefined,
  ) => ({
    document: document === undefined || document === current ? undefined : document,
    state: { source, bundles: [...added], simulated_base_url: simulatedBaseUrl },
  });
  if (file !== undefined) return plan('user', names, moveProvider(file, bundledUrl, simulatedBaseUrl));
  if (state === undefined && current.providers.length > 0) return plan('user', names, undefined);
  const known = state?.bundles ?? [];
  const usable = state?.source === 'user' ? [] : bundles.filter(({ name }) => !known.includes(name));
  // The simulated provider may have its last address, or that of the bundled file if the user applied it.
  let document = moveProvider(current, state?.simulated_base_url, simulatedBaseUrl);
  document = moveProvider(document, bundledUrl, simulatedBaseUrl);
  for (const bundle of usable) {
    document = addMissing(document, moveProvider(bundle.document, bundledUrl, simulatedBaseUrl));
  }
  if (usable.length > 0) document = withUniqueAliases(document, simulatedBaseUrl);
  return plan(state?.source ?? 'bundled', [...known, ...usable.map(({ name }) => name)], document);
}

/** Returns the same object when no provider has this address. */
function moveProvider(document: CatalogDocument, from: string | undefined, to: string): CatalogDocument {
  if (from === to || !document.providers.some(({ base_url }) => base_url === from)) return document;
  const providers = document.providers.map((provider) =>
    provider.base_url === from ? { ...provider, base_url: to } : provider,
  );
  return { ...document, providers };
}

function addMissing(document: CatalogDocument, more: CatalogDocument): CatalogDocument {
  const lacks = (entries: readonly { id: string }[]) => {
    const ids = new Set(entries.map(({ id }) => id));
    return ({ id }: { id: string }) => !ids.has(id);
  };
  return {
    ...document,
    providers: [...document.providers, ...more.providers.filter(lacks(document.providers))],
    models: [...document.models, ...more.models.filter(lacks(document.models))],
    virtualModels: [...document.virtualModels, ...more.virtualModels.filter(lacks(document.virtualModels))],
  };
}

/**
 * Gives an alias of several catalogs to the first one, but to real providers before the simulated one: who
 * sets a real provider's key expects its models under these names.
 */
function withUniqueAliases(document: CatalogDocument, simulatedBaseUrl: string): CatalogDocument {
  const simulated = new Set(
    document.providers.filter(({ base_url }) => base_url === simulatedBaseUrl).map(({ id }) => id),
  );
  const isSimulated = ({ upstreams }: CatalogModel) =>
    upstreams.every(({ provider }) => simulated.has(provider));
  const taken = new Set([...document.models, ...document.virtualModels].map(({ id }) => id));
  const unique = <Model extends CatalogModel | CatalogVirtualModel>(model: Model): Model => {
    const aliases = model.aliases.filter((alias) => !taken.has(alias));
    for (const alias of aliases) taken.add(alias);
    return { ...model, aliases };
  };
  const real = document.models.filter((model) => !isSimulated(model)).map(unique);
  const virtualModels = document.virtualModels.map(unique);
  const rest = document.models.filter(isSimulated).map(unique);
  return { ...document, models: [...real, ...rest], virtualModels };
}
