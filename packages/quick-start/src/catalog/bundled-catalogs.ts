import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseCatalogFile } from '@model-gateway/cli/catalog-file';
import type { Environment } from '@model-gateway/service-kit';
import { type CatalogDocument, catalogDocument } from '@model-gateway/shared';

export interface BundledCatalog {
  /** The name of the file without its ending. */
  name: string;
  document: CatalogDocument;
}

export const SIMULATED = 'simulated';
const FOLDER = fileURLToPath(new URL('../../../../deploy/catalogs/', import.meta.url));

/**
 * Returns the catalogs of deploy/catalogs whose providers all have their credential set. The simulated
 * provider needs none.
 */
export function bundledCatalogs(environment: Environment): BundledCatalog[] {
  return readBundledCatalogs().filter(({ document }) =>
    document.providers.every(({ credential_env: name }) => name === undefined || Boolean(environment[name])),
  );
}

export function readBundledCatalogs(): BundledCatalog[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.yaml'));
  return files.sort().map((file) => {
    const path = join(FOLDER, file);
    const document = catalogDocument.parse(parseCatalogFile(readFileSync(path, 'utf8'), path).content);
    return { name: basename(file, '.yaml'), document };
  });
}
