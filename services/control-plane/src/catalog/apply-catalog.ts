import { type CatalogDocument, checkCatalog, type NamedModel } from '@model-gateway/shared';
import type { Actor } from '../actors/actor.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import type { CatalogAction, CatalogStore } from './catalog-store.ts';
import { type CatalogChanges, compareCatalog } from './compare-catalog.ts';
import { patternProblems } from './pattern-problems.ts';
import type { StoredCatalog } from './read-catalog-store.ts';

/** A gRPC status message travels in a header, whose size is limited. */
const MAX_REPORT_LENGTH = 16_000;

export interface CatalogContext {
  catalogStore: CatalogStore;
}

/** Full catalog to apply, or part of one to add. */
export interface CatalogRequest {
  documentJson: string;
  /** Reports the changes without making them. */
  dryRun: boolean;
}

export interface AppliedCatalog
  extends Pick<CatalogChanges, 'document' | 'guardrails' | 'models' | 'providers'> {
  revision: bigint;
  /** Catalog in force before the change. */
  before: StoredCatalog;
}

/** Replaces the catalog in force. @throws ControlPlaneError invalid_argument: one error with path per line */
export async function applyCatalog(
  context: CatalogContext,
  actor: Actor,
  { documentJson, dryRun }: CatalogRequest,
): Promise<AppliedCatalog> {
  const document = parseDocument(parseJson(documentJson));
  return await changeCatalog(context, actor, { action: 'catalog.applied', decide: () => document, dryRun });
}

interface CatalogChangeRequest {
  action: CatalogAction;
  /** Returns the whole new catalog. */
  decide: (current: StoredCatalog) => CatalogDocument;
  /** Reports the changes without making them. */
  dryRun: boolean;
}

/** Changes the catalog in force, all or nothing. */
export async function changeCatalog(
  { catalogStore }: CatalogContext,
  actor: Actor,
  { action, decide, dryRun }: CatalogChangeRequest,
): Promise<AppliedCatalog> {
  let compared: { before: StoredCatalog; changes: CatalogChanges } | undefined;
  const revision = await catalogStore.change(actor, action, (current) => {
    compared = { before: current, changes: compareCatalog(current, decide(current)) };
    return dryRun ? undefined : compared.changes;
  });
  if (compared === undefined) throw new Error('the catalog was not compared');
  const { before, changes } = compared;
  return {
    revision,
    before,
    document: changes.document,
    guardrails: changes.guardrails,
    providers: changes.providers,
    models: changes.models,
  };
}

/** @throws ControlPlaneError invalid_argument */
export function parseJson(documentJson: string): unknown {
  try {
    return JSON.parse(documentJson);
  } catch {
    throw invalidArgument('the catalog is not valid JSON');
  }
}

/** @param others models in force besides the document's @throws ControlPlaneError invalid_argument */
export function parseDocument(value: unknown, others?: readonly NamedModel[]): CatalogDocument {
  const checked = checkCatalog(value, others);
  const problems = 'document' in checked ? patternProblems(checked.document) : checked.problems;
  if ('document' in checked && problems.length === 0) return checked.document;
  const lines = problems.map(({ path, message }) => `${path || 'catalog'}: ${message}`);
  throw invalidArgument(formatReport(lines));
}

function formatReport(lines: readonly string[]): string {
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
