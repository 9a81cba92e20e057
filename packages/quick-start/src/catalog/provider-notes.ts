import type { Environment } from '@model-gateway/service-kit';
import type { CatalogDocument } from '@model-gateway/shared';
import { type BundledCatalog, bundledCatalogs } from './bundled-catalogs.ts';
import { isUsable } from './is-usable.ts';

/** Returns notes on providers whose key is not set, and on set keys whose provider the catalog lacks. */
export function providerNotes(
  catalog: CatalogDocument,
  environment: Environment,
  bundles: readonly BundledCatalog[] = bundledCatalogs(environment),
): string[] {
  const keyless = catalog.providers
    .filter((provider) => !isUsable(provider, environment))
    .map(
      ({ name, credential_env: variables = [] }) =>
        `${name} cannot be used: ${variables.join(', ')} is not set. Set it: gatewayctl credentials set ${variables[0]}`,
    );
  const present = new Set(catalog.providers.map(({ id }) => id));
  const unused = bundles.flatMap(({ name, document }) =>
    document.providers.flatMap(({ id, name: provider, credential_env: variables }) =>
      variables === undefined || present.has(id)
        ? []
        : [
            `${variables.join(', ')} is set, but your catalog has no ${provider}: see deploy/catalogs/${name}.yaml.`,
          ],
    ),
  );
  return [...keyless, ...unused];
}
