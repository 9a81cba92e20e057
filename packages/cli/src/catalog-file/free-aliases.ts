import type { CatalogMessage } from '@model-gateway/contracts';
import { z } from 'zod';
import { catalogFile } from './catalog-file.ts';

/** Matches the ids of providers in deploy/catalogs/simulated.yaml. */
const SIMULATED_ID = /^simulated(-|$)/;
const LOCAL_URL = /^http:\/\/127\.0\.0\.1[:/]/;

const named = z.object({
  models: z.array(z.looseObject({ id: z.string(), aliases: z.array(z.string()).default([]) })),
});

/**
 * Takes the names of a file's models from the simulated models of `npm start`, as its next start would: users
 * expect a real provider's models under these names.
 * @param documentJson the file as JSON, also an invalid one
 * @returns the file as JSON; at its end, the simulated models that lose a name
 */
export function freeAliases(documentJson: string, catalog: CatalogMessage): string {
  const document: unknown = JSON.parse(documentJson);
  const { data: file } = named.safeParse(document);
  if (file === undefined) return documentJson;
  const ids = new Set(file.models.map(({ id }) => id));
  const taken = new Set(file.models.flatMap(({ id, aliases }) => [id, ...aliases]));
  const simulated = new Set(
    catalog.providers
      .filter(({ id, baseUrl }) => SIMULATED_ID.test(id) && LOCAL_URL.test(baseUrl))
      .map(({ id }) => id),
  );
  const changed = catalogFile(catalog).models.filter(
    (model) =>
      'upstreams' in model &&
      model.upstreams.every(({ provider }) => simulated.has(provider)) &&
      !ids.has(model.id) &&
      model.aliases?.some((alias) => taken.has(alias)),
  );
  if (changed.length === 0) return documentJson;
  const freed = changed.map((model) => ({
    ...model,
    aliases: model.aliases?.filter((alias) => !taken.has(alias)),
  }));
  return JSON.stringify({ ...Object(document), models: [...file.models, ...freed] });
}
