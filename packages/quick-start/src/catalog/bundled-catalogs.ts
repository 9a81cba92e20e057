import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseCatalogFile } from '@model-gateway/cli/catalog-file';
import type { Environment } from '@model-gateway/service-kit';
import { type CatalogDocument, catalogDocument } from '@model-gateway/shared';
import { isUsable } from './is-usable.ts';

export interface BundledCatalog {
  /** The name of the file without its ending. */
  name: string;
  document: CatalogDocument;
}

export const SIMULATED = 'simulated';
const FOLDER = fileURLToPath(new URL('../../../../deploy/catalogs/', import.meta.url));

/**
 * Placeholder for a value that only the user knows, such as a resource name: `${NAME}` of the environment.
 */
const PLACEHOLDER = /\$\{([A-Z][A-Z0-9_]*)\}/g;

/**
 * Returns the catalogs of deploy/catalogs whose variables are set: the credentials of their providers, and
 * the placeholders in the file. The simulated provider needs none.
 */
export function bundledCatalogs(environment: Environment): BundledCatalog[] {
  return readBundledCatalogs(environment).filter(({ document }) =>
    document.providers.every((provider) => isUsable(provider, environment)),
  );
}

/** Returns the catalogs whose placeholders can be filled in, whether or not their credentials are set. */
export function readBundledCatalogs(environment: Environment = {}): BundledCatalog[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.yaml'));
  return files.sort().flatMap((file) => {
    const path = join(FOLDER, file);
    const text = readFileSync(path, 'utf8');
    if ([...text.matchAll(PLACEHOLDER)].some(([, name = '']) => !environment[name])) return [];
    const filled = text.replace(PLACEHOLDER, (_all, name: string) => environment[name] ?? '');
    return [
      {
        name: basename(file, '.yaml'),
        document: catalogDocument.parse(parseCatalogFile(filled, path).content),
      },
    ];
  });
}
