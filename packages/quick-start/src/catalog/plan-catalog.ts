import type { CatalogDocument } from '@model-gateway/shared';
import { z } from 'zod';
import { type BundledCatalog, SIMULATED } from './bundled-catalogs.ts';

/** What earlier starts did to the catalog, so that no start undoes what the user has applied since. */
export const catalogState = z.object({
  /** `user`: from a file of the user's, or already in the database. */
  source: z.enum(['bundled', 'user']),
  /** Bundled catalogs that were added once; never again, since the user may have removed them. */
  bundles: z.array(z.string()),
  simulated_base_url: z.string(),
});
export type CatalogState = z.infer<typeof catalogState>;

export interface CatalogSituation {
  current: CatalogDocument;
  /** Undefined: a new data directory. */
  state: CatalogState | undefined;
  /** Bundled catalogs that can be used here. */
  bundles: readonly BundledCatalog[];
  /** Of `--catalog`. */
  file: CatalogDocument | undefined;
  /** Where the simulated provider listens this time. */
  simulatedBaseUrl: string;
}

export interface CatalogPlan {
  /** To apply; undefined: the catalog stays as it is. */
  document: CatalogDocument | undefined;
  state: CatalogState;
}

/**
 * A file that was asked for replaces everything; a new data directory gets the bundled catalogs; later starts
 * only add bundled catalogs that became usable (their key variable is set now), and follow the simulated
 * provider to its port.
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
  // Where it was, or where the bundled file says: that one the user may have applied again.
  let document = moveProvider(current, state?.simulated_base_url, simulatedBaseUrl);
  document = moveProvider(document, bundledUrl, simulatedBaseUrl);
  for (const bundle of usable) {
    document = addMissing(document, moveProvider(bundle.document, bundledUrl, simulatedBaseUrl));
  }
  return plan(state?.source ?? 'bundled', [...known, ...usable.map(({ name }) => name)], document);
}

/** The same object when no provider is there. */
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
    providers: [...document.providers, ...more.providers.filter(lacks(document.providers))],
    models: [...document.models, ...more.models.filter(lacks(document.models))],
  };
}
