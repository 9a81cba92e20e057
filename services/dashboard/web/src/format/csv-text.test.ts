import { expect, it } from 'vitest';
import { csvText } from './csv-text.ts';

it('CSV quotes what has commas, quotes or line breaks, and no cell is a formula', () => {
  const rows = [
    ['a', 'b'],
    ['x,y', 'say "no"'],
    ['=1+1', -2],
    [null, 'one\ntwo'],
  ];
  expect(csvText(rows)).toBe('a,b\r\n"x,y","say ""no"""\r\n\'=1+1,-2\r\n,"one\ntwo"\r\n');
});
