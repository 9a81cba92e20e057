import { type CatalogDocument, type CatalogDocumentInput, fileOfDocument } from '@model-gateway/shared';
import type { StoredCatalog } from './read-catalog-store.ts';

/** Converts a catalog to the content of a catalog file, without what only the database has. */
export function catalogFileOf(catalog: CatalogDocument | StoredCatalog): CatalogDocumentInput {
  const { guardrails, models, providers } = fileOfDocument(catalog);
  const entries = models.map((model) =>
    Object.fromEntries(Object.entries(model).filter(([name]) => !OWN_MEMBERS.has(name))),
  );
  // The types of a document already leave out these members.
  return {
    providers: providers.map(({ credential_env, ...provider }) => ({
      ...provider,
      ...(credential_env !== undefined && { credential_env: shortCredentials(credential_env) }),
    })),
    models: entries as CatalogDocumentInput['models'],
    ...(guardrails === undefined ? {} : { guardrails }),
  };
}

/** Members of stored models that are no part of a document. */
const OWN_MEMBERS = new Set(['createdAt', 'priceVersion']);

type Credentials = NonNullable<CatalogDocumentInput['providers'][number]['credential_env']>;

/** Writes credentials as people do: weights only if they differ, and a single one as text. */
function shortCredentials(credentials: Credentials): Credentials {
  if (typeof credentials === 'string') return credentials;
  const names = credentials.map((each) => (typeof each === 'string' ? each : each.name));
  const isWeighted = credentials.some((each) => typeof each !== 'string' && (each.weight ?? 1) !== 1);
  if (isWeighted) return credentials;
  return names.length === 1 ? (names[0] ?? names) : names;
}
