import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogFile, parseCatalogFile } from '@model-gateway/cli/catalog-file';
import { type ControlPlaneClient, GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import type { Environment } from '@model-gateway/service-kit';
import { type CatalogDocument, catalogDocument, checkCatalog, fileOfDocument } from '@model-gateway/shared';
import { readJsonFile, writeJsonFile } from '../data-dir/json-file.ts';
import { CALL_DEADLINE_MS } from '../gateway/call-deadline.ts';
import { QuickStartError } from '../quick-start-error.ts';
import { bundledCatalogs } from './bundled-catalogs.ts';
import { type CatalogState, catalogState, planCatalog } from './plan-catalog.ts';

export interface CatalogPreparation {
  client: ControlPlaneClient;
  dataDir: string;
  /** The file of `--catalog`. */
  file: CatalogDocument | undefined;
  environment: Environment;
  simulatedBaseUrl: string;
}

const NO_CATALOG: CatalogDocument = { providers: [], models: [], virtualModels: [] };

/** Applies the catalog that plan-catalog.ts decides on. @returns the catalog in force afterwards */
export async function prepareCatalog(preparation: CatalogPreparation): Promise<CatalogDocument> {
  const { client, dataDir, file, environment, simulatedBaseUrl } = preparation;
  const current = await getCatalog(client);
  const { document, state } = planCatalog({
    current,
    state: readState(dataDir),
    bundles: bundledCatalogs(environment),
    file,
    simulatedBaseUrl,
  });
  if (document !== undefined) await applyCatalog(client, document);
  writeJsonFile(statePathIn(dataDir), state);
  return document ?? current;
}

/**
 * Predicts, before anything runs, whether this start leaves the catalog as it is. If not, the data plane must
 * wait, because it would serve the old catalog for a moment.
 */
export function leavesCatalog(preparation: Omit<CatalogPreparation, 'client'>): boolean {
  const { dataDir, file, environment, simulatedBaseUrl } = preparation;
  const state = readState(dataDir);
  const bundles = bundledCatalogs(environment);
  const { document } = planCatalog({ current: NO_CATALOG, state, bundles, file, simulatedBaseUrl });
  return document === undefined && state?.simulated_base_url === simulatedBaseUrl;
}

function readState(dataDir: string): CatalogState | undefined {
  return readJsonFile(statePathIn(dataDir), catalogState);
}

function statePathIn(dataDir: string): string {
  return join(dataDir, 'catalog-state.json');
}

/** @throws QuickStartError that lists every mistake in the file */
export function readCatalogFile(path: string): CatalogDocument {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new QuickStartError([`--catalog: ${error instanceof Error ? error.message : error}`], error);
  }
  let parsed: ReturnType<typeof parseCatalogFile>;
  try {
    parsed = parseCatalogFile(text, path);
  } catch (error) {
    throw new QuickStartError(error instanceof Error ? error.message.split('\n') : [String(error)], error);
  }
  const checked = checkCatalog(parsed.content);
  if ('document' in checked) return checked.document;
  throw new QuickStartError(
    checked.problems.map(
      ({ path: field, message }) =>
        `${path}: line ${parsed.lineOf(field)}: ${field || 'catalog'}: ${message}`,
    ),
  );
}

async function getCatalog(client: ControlPlaneClient): Promise<CatalogDocument> {
  const message = await client.call(CALL_DEADLINE_MS, 'catalog', 'getCatalog', {});
  return catalogDocument.parse(catalogFile(message));
}

async function applyCatalog(client: ControlPlaneClient, document: CatalogDocument): Promise<void> {
  try {
    await client.call(CALL_DEADLINE_MS, 'catalog', 'applyCatalog', {
      documentJson: JSON.stringify(fileOfDocument(document)),
    });
  } catch (error) {
    if (grpcStatus(error) !== GrpcStatus.INVALID_ARGUMENT || !(error instanceof Error)) throw error;
    throw new QuickStartError(error.message.split('\n'), error);
  }
}
