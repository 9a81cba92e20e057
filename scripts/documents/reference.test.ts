import { readdirSync } from 'node:fs';
import { type FieldRules, VERDICTS } from '@model-gateway/dialects';
import { expect, it } from 'vitest';
import { referencePages } from './reference-pages.ts';
import { failureTable, fieldTable } from './reference-tables.ts';

const FOLDER = '../../docs/reference';

it.each([...referencePages()])(
  'docs/reference/%s agrees with the code (-u writes it)',
  async (name, page) => {
    await expect(page).toMatchFileSnapshot(`${FOLDER}/${name}`);
  },
);

it('docs/reference has only generated pages', () => {
  const there = readdirSync(new URL(FOLDER, import.meta.url)).sort();
  expect(there).toEqual([...referencePages().keys()].sort());
});

it('a table of fields lists refused fields first, then ignored ones, then translated ones', () => {
  const rules: FieldRules = {
    metadata: { fate: 'ignored', note: 'only tags' },
    messages: { fate: 'carried', note: '`messages`' },
    'tools[].strict': { fate: 'refused', note: 'takes no a|b' },
  };
  expect(fieldTable(rules)).toBe(
    [
      '| field            | result  | sent as, or reason |',
      '| ---------------- | ------- | ------------------ |',
      '| `tools[].strict` | refused | takes no a\\|b      |',
      '| `metadata`       | ignored | only tags          |',
      '| `messages`       | carried | `messages`         |',
    ].join('\n'),
  );
});

it('a row of the table of failures has the status, what is tried next, and the bill', () => {
  const { limited, client_left } = VERDICTS;
  expect(failureTable({ limited, client_left }).split('\n').slice(2)).toEqual([
    '| a 429, or an error within a response that means the same | 429 `upstream_rate_limited` | provider | another credential, another upstream, another model | success                   | `failed`           | `upstream_failed_free` |',
  ]);
});
