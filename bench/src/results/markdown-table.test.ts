import { expect, it } from 'vitest';
import { markdownTable } from './markdown-table.ts';

it('a table has numbers on the right and words on the left, and no cell breaks it', () => {
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
