import type { CatalogDocument } from '@model-gateway/shared';
import { z } from 'zod';
import type { Actor } from '../actors/actor.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import {
  type AppliedCatalog,
  type CatalogContext,
  type CatalogRequest,
  changeCatalog,
  parseDocument,
  parseJson,
} from './apply-catalog.ts';
import type { StoredCatalog } from './read-catalog-store.ts';

/** The fields of a catalog that must be known before the whole is checked. */
const partOfCatalog = z.looseObject({
  providers: z.array(z.unknown()).default([]),
  models: z.array(z.unknown()).default([]),
  guardrails: z.array(z.unknown()).default([]),
});
const ids = z.object({ id: z.string() });
const upstreamProviders = z.object({ upstreams: z.array(z.object({ provider: z.string() })) });

/**
 * Adds or changes providers and models; retires nothing. Models may name providers and models of the catalog
 * in force.
 * @returns `document`: the additions with the providers they name
 * @throws ControlPlaneError invalid_argument: every error with its path, one per line
 */
export async function addToCatalog(
  context: CatalogContext,
  actor: Actor,
  { documentJson, dryRun }: CatalogRequest,
): Promise<AppliedCatalog> {
  const value = parseJson(documentJson);
  let document: CatalogDocument | undefined;
  const decide = (current: StoredCatalog) => {
    document = parsePart(value, current);
    return mergeCatalog(current, document);
  };
  const applied = await changeCatalog(context, actor, { action: 'catalog.added', decide, dryRun });
  if (document === undefined) throw new Error('changeCatalog has not called decide');
  return { ...applied, document };
}

/** Returns the given part, plus the providers of the catalog in force that it names but does not list. */
function parsePart(value: unknown, current: StoredCatalog): CatalogDocument {
  const part = partOfCatalog.safeParse(value);
  // Wrong shape: parseDocument reports it as for a whole catalog.
  if (!part.success) return parseDocument(value);
  const { guardrails, providers, models } = part.data;
  if (providers.length + models.length + guardrails.length === 0) {
    throw invalidArgument('there is no provider, no model and no guardrail in this file');
  }
  const listed = listedIds(providers);
  const replaced = listedIds(models);
  const named = new Set(
    models.flatMap((model) =>
      (upstreamProviders.safeParse(model).data?.upstreams ?? []).map(({ provider }) => provider),
    ),
  );
  // After the file's own providers, so that paths in error messages match the file.
  const known = current.providers.filter(({ id }) => named.has(id) && !listed.has(id));
  const ownGuardrails = listedIds(guardrails);
  const knownGuardrails = (current.guardrails ?? []).filter(({ id }) => !ownGuardrails.has(id));
  return parseDocument(
    {
      ...part.data,
      providers: [...providers, ...known],
      guardrails: [...guardrails, ...knownGuardrails],
    },
    [...current.models, ...current.virtualModels].filter(({ id }) => !replaced.has(id)),
  );
}

function listedIds(entries: readonly unknown[]): Set<string | undefined> {
  return new Set(entries.map((entry) => ids.safeParse(entry).data?.id));
}

function mergeCatalog(current: StoredCatalog, part: CatalogDocument): CatalogDocument {
  const replaced = new Set([...part.models, ...part.virtualModels].map(({ id }) => id));
  const others = <Model extends { id: string }>(models: readonly Model[]) =>
    models.filter(({ id }) => !replaced.has(id));
  const providers = new Map([...current.providers, ...part.providers].map((each) => [each.id, each]));
  return {
    providers: [...providers.values()],
    // The part has those in force, too.
    ...(part.guardrails === undefined ? {} : { guardrails: part.guardrails }),
    models: [...others(current.models), ...part.models],
    virtualModels: [...others(current.virtualModels), ...part.virtualModels],
  };
}
