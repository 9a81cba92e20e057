import { type FormattedIssue, formatIssues } from '../wire/format-issues.ts';
import { fileWords } from '../wire/issue-words.ts';
import { type CatalogDocument, catalogDocumentBeside } from './catalog-document.ts';
import type { NamedModel } from './model-names.ts';

/** A catalog that can be applied, or every problem of the file. */
export type CheckedCatalog = { document: CatalogDocument } | { problems: FormattedIssue[] };

/**
 * @param content the values of the file, as JSON has them
 * @param others models that stay in force beside those of the file
 */
export function checkCatalog(content: unknown, others: readonly NamedModel[] = []): CheckedCatalog {
  const result = catalogDocumentBeside(others).safeParse(content, { error: fileWords });
  return result.success ? { document: result.data } : { problems: formatIssues(result.error) };
}
