import type { Environment } from '@model-gateway/service-kit';
import type { CatalogDocument } from '@model-gateway/shared';
import { type BundledCatalog, bundledCatalogs } from './bundled-catalogs.ts';

/** Whether the environment has the key of a provider, which the data plane inherits. */
export function isUsable(
  { credential_env: variable }: CatalogDocument['providers'][number],
  environment: Environment,
): boolean {
  return variable === undefined || Boolean(environment[variable]);
}

/**
 * Returns notes that save the user a search: providers whose key is not set, and bundled providers whose key
 * is set but which the catalog does not have (any more).
 */
export function providerNotes(
  catalog: CatalogDocument,
  environment: Environment,
  bundles: readonly BundledCatalog[] = bundledCatalogs(environment),
): string[] {
  const keyless = catalog.providers
    .filter((provider) => !isUsable(provider, environment))
    .map(
      ({ name, credential_env: variable }) =>
        `${name} cannot be used: ${variable} is not set. Stop this, export it, and npm start again.`,
    );
  const present = new Set(catalog.providers.map(({ id }) => id));
  const unused = bundles.flatMap(({ name, document }) =>
    document.providers.flatMap(({ id, name: provider, credential_env: variable }) =>
      variable === undefined || present.has(id)
        ? []
        : [`${variable} is set, but your catalog has no ${provider}: see deploy/catalogs/${name}.yaml.`],
    ),
  );
  return [...keyless, ...unused];
}
