import { MATRIX_CALLERS } from '../../services/data-plane/tests/matrix/callers.ts';
import { MATRIX_KINDS } from '../../services/data-plane/tests/matrix/kinds.ts';
import { FEATURES, verdictOf } from '../../services/data-plane/tests/matrix/verdicts.ts';
import { markdownTable } from './markdown-table.ts';

/**
 * A table in Markdown with one row for each caller API and feature, and one column for each provider kind.
 */
export function featureMatrix(): string {
  const head = ['in', 'what', ...MATRIX_KINDS.map(({ title }) => title)];
  const rows = MATRIX_CALLERS.flatMap((caller) =>
    FEATURES.map((feature) => [
      caller.title,
      feature,
      ...MATRIX_KINDS.map((kind) => verdictOf(caller.title, kind.title, feature)),
    ]),
  );
  return markdownTable([head, ...rows]);
}
