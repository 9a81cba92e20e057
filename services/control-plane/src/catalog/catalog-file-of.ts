import { type CatalogDocument, type CatalogDocumentInput, fileOfDocument } from '@model-gateway/shared';
import type { StoredCatalog } from './read-catalog-store.ts';

/** Converts a catalog to the content of a catalog file, without what only the database has. */
export function catalogFileOf(catalog: CatalogDocument | StoredCatalog): CatalogDocumentInput {
  const { models, ...file } = fileOfDocument(catalog);
  const entries = models.map((model) =>
    Object.fromEntries(Object.entries(model).filter(([name]) => !OWN_MEMBERS.has(name))),
  );
  // The types of a document already leave out these members.
  return { ...file, models: entries as CatalogDocumentInput['models'] };
}

/** Members of stored models that are no part of a document. */
const OWN_MEMBERS = new Set(['createdAt', 'priceVersion']);
