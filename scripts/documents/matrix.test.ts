import { expect, it } from 'vitest';
import { MATRIX_CALLERS } from '../../services/data-plane/tests/matrix/callers.ts';
import { MATRIX_KINDS } from '../../services/data-plane/tests/matrix/kinds.ts';
import { FEATURES, verdictOf } from '../../services/data-plane/tests/matrix/verdicts.ts';
import { markdownTable } from './markdown-table.ts';
import { readPage } from './pages.ts';

const PAGE = 'docs/providers.md';
const PLACE = /(<!-- matrix \([^\n]+ -->\n\n).*?(?=<!-- end of matrix -->)/s;

/** One row for each caller and feature, one column for each kind. */
function matrixTable(): string {
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

it('docs/providers.md has what each cell of the matrix is tested to do (-u writes it again)', async () => {
  const page = readPage(PAGE);
  expect(page).toMatch(PLACE);
  const written = page.replace(PLACE, (_, mark: string) => `${mark}${matrixTable()}\n\n`);
  await expect(written).toMatchFileSnapshot(`../../${PAGE}`);
});
