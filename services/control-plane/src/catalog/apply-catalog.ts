import { type CatalogDocument, checkCatalog, type NamedModel } from '@model-gateway/shared';
import type { Actor } from '../actors/actor.ts';
import { ControlPlaneError } from '../errors/control-plane-error.ts';
import type { CatalogStore, StoredCatalog } from './catalog-store.ts';
import { type CatalogChanges, compareCatalog, isUnchanged } from './compare-catalog.ts';

/** A gRPC status message travels in a header, whose size is limited. */
const MAX_REPORT_LENGTH = 16_000;

export interface CatalogContext {
  catalogStore: CatalogStore;
}

/** A document that is to be applied, or a part of a catalog that is to be added. */
export interface CatalogRequest {
  documentJson: string;
  /** Report what would change, and change nothing. */
  dryRun: boolean;
}

export type AppliedCatalog = { revision: bigint } & Pick<CatalogChanges, 'providers' | 'models'>;

/**
 * Makes the document the catalog in force, all or nothing.
 * @throws ControlPlaneError invalid_argument: every error with its path, one per line
 */
export async function applyCatalog(
  context: CatalogContext,
  actor: Actor,
  { documentJson, dryRun }: CatalogRequest,
): Promise<AppliedCatalog & { document: CatalogDocument }> {
  const document = parseDocument(parseJson(documentJson));
  return { ...(await changeCatalog(context, actor, { decide: () => document, dryRun })), document };
}

/**
 * Changes the catalog in force, all or nothing.
 * @param request.decide returns the whole new catalog, given the one in force
 * @param request.dryRun reports what would change, and changes nothing
 */
export async function changeCatalog(
  { catalogStore }: CatalogContext,
  _actor: Actor,
  { decide, dryRun }: { decide: (current: StoredCatalog) => CatalogDocument; dryRun: boolean },
): Promise<AppliedCatalog> {
  let changes: CatalogChanges | undefined;
  const revision = await catalogStore.change((current) => {
    changes = compareCatalog(current, decide(current));
    return dryRun || isUnchanged(changes) ? undefined : changes.writes;
  });
  if (changes === undefined) throw new Error('the catalog was not compared');
  return { revision, providers: changes.providers, models: changes.models };
}

/** @throws ControlPlaneError invalid_argument */
export function parseJson(documentJson: string): unknown {
  try {
    return JSON.parse(documentJson);
  } catch {
    throw new ControlPlaneError('invalid_argument', 'the catalog is not valid JSON');
  }
}

/**
 * @param others models that stay in force beside those of the document
 * @throws ControlPlaneError invalid_argument: every error with its path, one per line
 */
export function parseDocument(value: unknown, others?: readonly NamedModel[]): CatalogDocument {
  const checked = checkCatalog(value, others);
  if ('document' in checked) return checked.document;
  const lines = checked.problems.map(({ path, message }) => `${path || 'catalog'}: ${message}`);
  throw new ControlPlaneError('invalid_argument', report(lines));
}

function report(lines: readonly string[]): string {
  const shown: string[] = [];
  let length = 0;
  for (const line of lines) {
    length += line.length + 1;
    if (length > MAX_REPORT_LENGTH) break;
    shown.push(line);
  }
  const hidden = lines.length - shown.length;
  return hidden === 0 ? shown.join('\n') : `${shown.join('\n')}\n… and ${hidden} more errors`;
}
