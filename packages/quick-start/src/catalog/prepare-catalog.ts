import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogFile, parseCatalogFile } from '@model-gateway/cli/catalog-file';
import { useProxyOf } from '@model-gateway/cli/provider-models';
import { type ControlPlaneClient, GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import type { Environment } from '@model-gateway/service-kit';
import { type CatalogDocument, catalogDocument, checkCatalog, fileOfDocument } from '@model-gateway/shared';
import { readJsonFile, writeJsonFile } from '../data-dir/json-file.ts';
import { CALL_DEADLINE_MS } from '../gateway/call-deadline.ts';
import { QuickStartError } from '../quick-start-error.ts';
import { type BundledCatalog, bundledCatalogs, SIMULATED } from './bundled-catalogs.ts';
import { type CatalogState, catalogState, planCatalog } from './plan-catalog.ts';
import { type OfferedCatalog, offerUsableModels } from './usable-models.ts';

export interface CatalogPreparation {
  client: ControlPlaneClient;
  dataDir: string;
  /** The file of `--catalog`. */
  file: CatalogDocument | undefined;
  environment: Environment;
  simulatedBaseUrl: string;
}

const NO_CATALOG: CatalogDocument = { providers: [], models: [], virtualModels: [] };

export interface PreparedCatalog {
  /** The catalog in force, sorted by id. */
  catalog: CatalogDocument;
  /** Notes on models that this start did not add. */
  notes: string[];
  /** The environment, with a placeholder for each stored credential. */
  environment: Environment;
}

/**
 * Asks providers for the models that the user's keys can use, if this start may add the provider. Needs no
 * gateway, so it can begin early.
 */
export async function offerCatalogs({
  dataDir,
  environment,
  file,
}: Pick<CatalogPreparation, 'dataDir' | 'environment' | 'file'>): Promise<OfferedCatalog[]> {
  const state = readState(dataDir);
  const bundles = bundledCatalogs(environment);
  const isAdded = ({ name }: BundledCatalog) =>
    file === undefined && state?.source !== 'user' && state?.bundles.includes(name) !== true;
  useProxyOf(environment);
  return await Promise.all(
    bundles.map((bundle) =>
      isAdded(bundle) && bundle.name !== SIMULATED
        ? offerUsableModels(bundle, environment)
        : { bundle, notes: [] },
    ),
  );
}

/** Applies the catalog that plan-catalog.ts decides on. */
export async function prepareCatalog(
  preparation: CatalogPreparation,
  offers: readonly OfferedCatalog[],
): Promise<PreparedCatalog> {
  const { client, dataDir, file, simulatedBaseUrl } = preparation;
  const [current, environment] = await Promise.all([
    getCatalog(client),
    withStoredCredentials(client, preparation.environment),
  ]);
  const bundles = bundledCatalogs(environment).map(
    (bundle) => offers.find((offer) => offer.bundle.name === bundle.name)?.bundle ?? bundle,
  );
  const before = readState(dataDir);
  const { document, state } = planCatalog({ current, state: before, bundles, file, simulatedBaseUrl });
  if (document !== undefined) await applyCatalog(client, document);
  writeJsonFile(statePathIn(dataDir), state);
  return {
    // Reads it again, so that every start prints the same order: a plan puts new entries last.
    catalog: document === undefined ? current : await getCatalog(client),
    notes: state.source === 'user' ? [] : offers.flatMap(({ notes }) => notes),
    environment,
  };
}

async function withStoredCredentials(
  client: ControlPlaneClient,
  environment: Environment,
): Promise<Environment> {
  const { credentials } = await client.call(CALL_DEADLINE_MS, 'admin', 'listCredentials', {});
  // A copy of a settings file may have the name without a value.
  const stored = credentials.filter(({ name, setAtMs }) => setAtMs !== undefined && !environment[name]);
  return { ...environment, ...Object.fromEntries(stored.map(({ name }) => [name, 'stored'])) };
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
