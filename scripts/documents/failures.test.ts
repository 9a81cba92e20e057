import { VERDICTS } from '@model-gateway/dialects';
import { expect, it } from 'vitest';
import { failureTable } from './failure-table.ts';
import { readPage } from './pages.ts';

const PATH = 'docs/wire-format.md';
const PLACE = /(<!-- failures \([^\n]+ -->\n\n).*?(?=<!-- end of failures -->)/gs;

it(`${PATH} has what every failure of a provider means (-u writes it again)`, async () => {
  const page = readPage(PATH);
  expect(page.match(PLACE)).toHaveLength(1);
  const written = page.replace(PLACE, (_, mark: string) => `${mark}${failureTable(VERDICTS)}\n\n`);
  await expect(written).toMatchFileSnapshot(`../../${PATH}`);
});

it('the table of failures names the status, who is asked next and the bill', () => {
  const { limited, client_left } = VERDICTS;
  expect(failureTable({ limited, client_left }).split('\n').slice(2)).toEqual([
    '| a 429, or an error within a response that means the same | 429 `upstream_rate_limited` | provider | another credential, another upstream, another model | success                   | `failed`           | `upstream_failed_free` |',
  ]);
});
