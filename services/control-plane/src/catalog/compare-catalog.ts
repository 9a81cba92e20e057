import { isDeepStrictEqual } from 'node:util';
import type { CatalogDocument, CatalogModel, CatalogVirtualModel } from '@model-gateway/shared';
import type { StoredCatalog } from './read-catalog-store.ts';
import type { CatalogWrites } from './write-catalog-store.ts';

export interface Changes {
  added: string[];
  changed: string[];
  retired: string[];
}

export interface CatalogChanges {
  providers: Changes;
  /** Includes virtual models. */
  models: Changes;
  guardrails: Changes;
  /** The catalog afterwards. */
  document: CatalogDocument;
  writes: CatalogWrites;
}

/** Compares the catalog in force with the document. Retires everything the document does not list. */
export function compareCatalog(current: StoredCatalog, document: CatalogDocument): CatalogChanges {
  const oldProviders = new Map(current.providers.map((provider) => [provider.id, provider]));
  const oldModels = new Map(current.models.map((model) => [model.id, comparable(model)]));
  const providers = compare(oldProviders, document.providers);
  const oldVirtual = new Map(current.virtualModels.map((model) => [model.id, comparable(model)]));
  const models = compare(oldModels, document.models.map(comparable));
  const virtualModels = compare(oldVirtual, document.virtualModels.map(comparable));
  const oldGuardrails = new Map((current.guardrails ?? []).map((each) => [each.id, each]));
  const guardrails = compare(oldGuardrails, document.guardrails ?? []);
  const touched = ({ added, changed }: Changes) => new Set([...added, ...changed]);
  const prices = document.models.filter(
    ({ id, pricing }) => !isDeepStrictEqual(oldModels.get(id)?.pricing, pricing),
  );
  return {
    providers,
    models: {
      added: [...models.added, ...virtualModels.added],
      changed: [...models.changed, ...virtualModels.changed],
      retired: [...models.retired, ...virtualModels.retired],
    },
    guardrails,
    document,
    writes: {
      providers: {
        write: document.providers.filter(({ id }) => touched(providers).has(id)),
        retire: providers.retired,
      },
      models: { write: document.models.filter(({ id }) => touched(models).has(id)), retire: models.retired },
      virtualModels: {
        write: document.virtualModels.filter(({ id }) => touched(virtualModels).has(id)),
        retire: virtualModels.retired,
      },
      guardrails: {
        write: (document.guardrails ?? []).filter(({ id }) => touched(guardrails).has(id)),
        remove: guardrails.retired,
      },
      prices: prices.map(({ id, pricing }) => ({ modelId: id, pricing })),
    },
  };
}

export function isUnchanged({ guardrails, providers, models }: CatalogChanges): boolean {
  return [providers, models, guardrails].every(
    ({ added, changed, retired }) => added.length + changed.length + retired.length === 0,
  );
}

function compare<Entry extends { id: string }>(old: ReadonlyMap<string, Entry>, entries: Entry[]): Changes {
  const ids = new Set(entries.map(({ id }) => id));
  return {
    added: entries.filter(({ id }) => !old.has(id)).map(({ id }) => id),
    changed: entries
      .filter((entry) => old.has(entry.id) && !isDeepStrictEqual(old.get(entry.id), entry))
      .map(({ id }) => id),
    retired: [...old.keys()].filter((id) => !ids.has(id)),
  };
}

/** Removes the fields that only the database has, and writes `deprecated_at` in one form. */
function comparable<Model extends CatalogModel | CatalogVirtualModel>(
  model: Model & { createdAt?: Date; priceVersion?: number | undefined },
) {
  const { createdAt: _createdAt, priceVersion: _priceVersion, ...rest } = model;
  if (model.deprecated_at === undefined) return rest;
  return { ...rest, deprecated_at: new Date(model.deprecated_at).toISOString() };
}
