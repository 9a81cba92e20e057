import { expect, it } from 'vitest';
import { markdownTable } from './markdown-table.ts';

it('numbers stand right, words left, and no cell breaks the table', () => {
  const table = markdownTable(
    ['Target', 'ms', 'Note'],
    [
      ['gateway', '1.5 (1.2–2.0)', 'a | b'],
      ['direct', '–', 'two\nlines'],
    ],
  );
  expect(table.split('\n')).toEqual([
    '| Target  |            ms | Note      |',
    '| ------- | ------------: | --------- |',
    '| gateway | 1.5 (1.2–2.0) | a \\| b    |',
    '| direct  |             – | two lines |',
  ]);
});
