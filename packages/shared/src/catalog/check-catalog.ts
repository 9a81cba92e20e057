import { type FormattedIssue, formatIssues } from '../wire/format-issues.ts';
import { fileWords } from '../wire/issue-words.ts';
import { type CatalogDocument, catalogDocument } from './catalog-document.ts';

/**
 * Either a catalog file that can be applied, or everything that is wrong with it, in words about the file.
 */
export type CheckedCatalog = { document: CatalogDocument } | { problems: FormattedIssue[] };

/** @param content the values of the file, as JSON has them */
export function checkCatalog(content: unknown): CheckedCatalog {
  const result = catalogDocument.safeParse(content, { error: fileWords });
  return result.success ? { document: result.data } : { problems: formatIssues(result.error) };
}
